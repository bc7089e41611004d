/** @module Tools for people who write policies: lint, tests, imports from peers, replay of a session. */
export * from "./case/case-file.ts";
export * from "./case/run-cases.ts";
export { type ExportTarget, exportRules, exportTargets } from "./export/export-rules.ts";
export type { Exported, RulesToExport } from "./export/exported.ts";
export type { Imported, ImportNote, ImportOptions } from "./import/imported.ts";
export { importers, type Peer, peers } from "./import/importers.ts";
export * from "./lint-settings.ts";
export * from "./remedy.ts";
export * from "./replay.ts";
