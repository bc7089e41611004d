/** @module State behind the ports and around the sessions. */
export { createBrowser, type SessionBrowser } from "./browser/browser.ts";
export { findBrowser } from "./browser/find-browser.ts";
export { openLogins } from "./browser/profile.ts";
export * from "./channels/index.ts";
export * from "./jobs/index.ts";
export * from "./memory/index.ts";
export { openOrigins } from "./origins.ts";
export { createDocuments } from "./page/documents.ts";
export * from "./schedules/index.ts";
export { createScripts, type ScriptHost } from "./scripts/index.ts";
export { createSearch } from "./search/search.ts";
export * from "./session-log.ts";
export * from "./sessions/index.ts";
export * from "./spill.ts";
export * from "./state-folder.ts";
export * from "./tasks/index.ts";
export * from "./trust.ts";
export * from "./worktrees/index.ts";
