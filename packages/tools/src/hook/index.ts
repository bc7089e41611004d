/** @module The documented hooks protocol: a user's own programs and servers around calls. */
export type { HookCallbackGroup, HookCallbacks } from "./callbacks.ts";
export type { HookNotice } from "./dispatch.ts";
export { HOOK_TEXT_CHARS } from "./hook-output.ts";
export {
  MOST_STOP_BLOCKS,
  type RunHooks,
  type SessionEvent,
  type SessionOutcome,
  type SessionPayloads,
} from "./session-event.ts";
export { createSettingsHooks, type SettingsHooks, type SettingsHooksOptions } from "./settings-hooks.ts";
