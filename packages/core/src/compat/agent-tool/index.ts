/** @module Tools of the AgentTool shape: `execute(toolCallId, params, signal, onUpdate)`. */
export { expandToolGroups, isToolAllowedByPolicy, normalizeToolName } from "../../policy/index.ts";
export * from "./coding-tools.ts";
export * from "./definitions.ts";
export * from "./from.ts";
export type * from "./types.ts";
