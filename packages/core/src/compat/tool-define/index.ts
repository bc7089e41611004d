/** @module Tools made with `Tool.define`: static ones, and ones that are initialised later. */
export * from "./define.ts";
export * from "./from.ts";
export * from "./permission.ts";
export type * from "./types.ts";
