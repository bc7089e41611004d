/** @module Language servers of a session: found, started at the first question, asked, ended. */
export { findServers, type ServerPlan, type ServerSources } from "./known-servers.ts";
export type { ServerProgram } from "./language-server.ts";
export { createLanguages, type LanguagesOptions, type SessionLanguages } from "./languages.ts";
