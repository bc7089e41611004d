/** @module What a session keeps for its agents and shares with others. */
export * from "../channels/index.ts";
export * from "../memory/index.ts";
export { createScripts, type ScriptHost } from "../scripts/index.ts";
export * from "../sessions/index.ts";
export * from "../tasks/index.ts";
export * from "../worktrees/index.ts";
