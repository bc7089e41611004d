/** @module What a command left behind where it cannot stay, or where nobody would look for it. */
export { type Appeared, isHarmlessConfig, watchProtected } from "./appeared.ts";
export { createKept, type Kept } from "./kept.ts";
