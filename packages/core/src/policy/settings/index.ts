/** Settings: parsed strictly, merged by origin, and held back until the folder is trusted. */
export * from "./merge.ts";
export * from "./mode-name.ts";
export * from "./model.ts";
export * from "./parse.ts";
export { HOOK_EVENTS, HOOK_FAILURES, type HookEventName, SETTINGS_SCHEMA } from "./schema.ts";
export { checkShape } from "./shape.ts";
