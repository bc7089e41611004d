/** @module The documented hooks protocol: a user's own programs and servers around calls. */
export type { HookCallbacks } from "./callbacks.ts";
export type { HookNotice } from "./dispatch.ts";
export { MOST_STOP_BLOCKS, type RunHooks, type SessionOutcome, type SessionPayloads } from "./session-event.ts";
export { createSettingsHooks, type SettingsHooks, type SettingsHooksOptions } from "./settings-hooks.ts";
