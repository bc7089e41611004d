/** @module Finds files that a command left where they cannot stay, or where nobody would look for them. */
export { type Appeared, isHarmlessConfig, watchProtected } from "./new-files.ts";
export { createKept, type Kept } from "./temp-store.ts";
