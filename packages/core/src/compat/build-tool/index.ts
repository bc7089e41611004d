/** @module Tools made with `buildTool`, as plain objects of many optional answers. */
export * from "./build.ts";
export * from "./from.ts";
export type * from "./types.ts";
