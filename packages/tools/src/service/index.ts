/** @module State behind the ports and around the sessions. */
export * from "./jobs/index.ts";
export { createDocuments, type DocumentReader } from "./page/documents.ts";
export { createSearch, type SearchOptions } from "./search/search.ts";
export * from "./session-log.ts";
export * from "./spill.ts";
export * from "./state-folder.ts";
export * from "./tasks/index.ts";
export * from "./trust.ts";
export * from "./worktrees/index.ts";
