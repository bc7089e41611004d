/** @module Tools made with `Tool.define`, static and initialised later. */
export * from "./define.ts";
export * from "./from.ts";
export * from "./permission.ts";
export type * from "./types.ts";
