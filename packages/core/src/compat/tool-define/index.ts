/** @module Tools made with `Tool.define`: static ones, and ones that are initialised later. */
export * from "./define.ts";
export { toolIdOf, toToolDefinition, toToolParameters } from "./definition.ts";
export * from "./from.ts";
export * from "./functions.ts";
export { fromLegacy, type RegisteredTool, type ToolExecutionContext } from "./legacy.ts";
export * from "./permission.ts";
export { createSteps, type StepEvents, type StepOptions } from "./steps.ts";
export type * from "./types.ts";
