/** @module Confines programs to their grants, as far as the kernel can. */
export { bwrapArgv, type Confined, findBwrap } from "./bwrap.ts";
export { type ConfineOptions, confinedProcesses } from "./confine.ts";
export {
  type ConfinedRequest,
  type Confinement,
  type ConfinementOptions,
  type Confiner,
  createConfiner,
} from "./confinement.ts";
export { confinedEnvironment } from "./environment.ts";
export {
  BWRAP_WEAKNESSES,
  closedIn,
  createTreeReader,
  type Fence,
  type FencedWorkspace,
  type FenceRequest,
  guardsOf,
  isPathContained,
  onlyReads,
  planFence,
  surveysFor,
  type Tree,
  type TreeReader,
} from "./fence/index.ts";
export { type Fenced, fencedBy } from "./fenced.ts";
export { type Appeared, isHarmlessConfig } from "./leftovers/index.ts";
export { createRuntimeConfiner } from "./srt/confiner.ts";
export { SRT_WEAKNESSES } from "./srt/weaknesses.ts";
export {
  createTierProbe,
  type ProbeOptions,
  probeTier,
  type Tier,
  type TierName,
  type TierReport,
  tierNames,
} from "./tier.ts";
