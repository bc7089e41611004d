/** @module Confines programs to their grants, as far as the kernel can. */
export { bwrapArgv } from "./bwrap.ts";
export { type ConfineOptions, confinedProcesses } from "./confine.ts";
export { type ConfinementOptions, createConfiner } from "./confinement.ts";
export {
  closedIn,
  createTreeReader,
  type Fence,
  guardsOf,
  type Tree,
  type TreeReader,
} from "./fence/index.ts";
export { type Fenced, fencedBy } from "./fenced.ts";
export { isHarmlessConfig } from "./leftovers/index.ts";
export { placesAsNow } from "./sandbox-fingerprint.ts";
export { createRuntimeConfiner } from "./srt/confiner.ts";
export { createTierProbe, probeTier, type TierReport } from "./tier.ts";
