/** @module Tools made with `buildTool`: plain objects with many optional answers. */
export * from "./build.ts";
export * from "./from.ts";
export * from "./functions.ts";
export type * from "./types.ts";
