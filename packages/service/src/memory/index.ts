/** @module Facts that later sessions know: Markdown pages with a history. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MemoryScope } from "@haft/core/tool";
import type { StateFolder } from "../state-folder.ts";
import { type MemoryPage, openMemoryPage } from "./store.ts";

export type { MemoryChange } from "./history.ts";
export { searchEntries } from "./search.ts";
export { type MemoryPage, openMemoryPage, type Writer } from "./store.ts";

/** The memory of one kind of agent: for a project, or for all of the user's. */
export const agentMemory = (state: StateFolder, project: string, scope: MemoryScope, agent: string): MemoryPage =>
  openMemoryPage(scope, join(agentMemoriesIn(state, project, scope), agent));

/** Every memory that agents keep for a project, and for all projects. */
export const agentMemories = (state: StateFolder, project: string): readonly MemoryPage[] =>
  (["project", "user"] as const).flatMap((scope) => {
    const folder = agentMemoriesIn(state, project, scope);
    return foldersIn(folder).map((agent) => openMemoryPage(scope, join(folder, agent)));
  });

const agentMemoriesIn = (state: StateFolder, project: string, scope: MemoryScope): string =>
  join(scope === "user" ? state.root : state.workspace(project), "agent-memory");

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The memory of a project and that of the user. */
export const memoryPages = (state: StateFolder, project: string): readonly [MemoryPage, MemoryPage] => [
  openMemoryPage("project", join(state.workspace(project), "memory")),
  openMemoryPage("user", join(state.root, "memory")),
];
