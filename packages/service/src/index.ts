/** @module State behind the ports and around the sessions. Other doors of the package lead to what runs in a session. */
export { isOpenSession, type Retention } from "./old-sessions.ts";
export { openOrigins } from "./origins.ts";
export * from "./session-log.ts";
export * from "./spill.ts";
export { openStateFile, type StateFile, type StateFileOptions } from "./state-file.ts";
export * from "./state-folder.ts";
export * from "./trust.ts";
