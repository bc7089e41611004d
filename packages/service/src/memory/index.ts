/** @module Facts that later sessions know: Markdown pages with a history. */
import { join } from "node:path";
import type { StateFolder } from "../state-folder.ts";
import { type MemoryPage, openMemoryPage } from "./store.ts";

export type { MemoryChange } from "./history.ts";
export { searchEntries } from "./search.ts";
export { type MemoryPage, openMemoryPage, type Writer } from "./store.ts";

/** The memory of a project and that of the user. */
export const memoryPages = (state: StateFolder, project: string): readonly [MemoryPage, MemoryPage] => [
  openMemoryPage("project", join(state.workspace(project), "memory")),
  openMemoryPage("user", join(state.root, "memory")),
];
