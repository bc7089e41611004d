/** @module Plans as plain data what a confined program may see and change. */

export { surveysFor } from "../system-folders.ts";
export { closedIn } from "./closed.ts";
export {
  type Fence,
  type FencedWorkspace,
  type FenceRequest,
  MAX_MOUNTS,
  planFence,
  STANDS_FOR_TMP,
} from "./fence.ts";
export { type Guards, guardsOf } from "./guards.ts";
export { isPathContained, type RealPlace, realPaths } from "./real.ts";
export { type Survey, survey } from "./survey.ts";
export { createTreeReader, join, type Tree, type TreeReader } from "./tree.ts";
export { BWRAP_WEAKNESSES } from "./weaknesses.ts";
export { isNeverWritable, isOpaque, unopened } from "./writable.ts";
