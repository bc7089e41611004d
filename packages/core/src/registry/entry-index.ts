import type { Entry, Registry } from "./registry.ts";
import { createToolIndex, type SearchableTool, type ToolIndex } from "./search/index.ts";

/** A registered tool in the words of the search. */
export interface IndexedEntry extends SearchableTool {
  readonly entry: Entry;
}

/** The index over a registry, made anew only when the registry has changed and somebody searches. */
export type Searches = (registry: Registry) => ToolIndex<IndexedEntry>;

/** Keeps one index a registry, over the entries that `isWanted`. */
export function createSearches(isWanted: (entry: Entry) => boolean): Searches {
  const known = new WeakMap<Registry, { readonly version: number; readonly index: ToolIndex<IndexedEntry> }>();
  return (registry) => {
    const { version } = registry;
    const before = known.get(registry);
    if (before?.version === version) return before.index;
    const index = createToolIndex(registry.entries().filter(isWanted).map(searchableEntry));
    known.set(registry, { version, index });
    return index;
  };
}

/** What a search knows of a registered tool. A description that depends on the offer is not read; its hint is. */
export function searchableEntry(entry: Entry): IndexedEntry {
  const { tool, source } = entry;
  const { name, aliases, title, searchHint, description, input } = tool;
  return {
    entry,
    name,
    server: source.name,
    inputSchema: input.json,
    ...(aliases ? { aliases } : {}),
    ...(title === undefined ? {} : { title }),
    ...(searchHint === undefined ? {} : { hint: searchHint }),
    ...(typeof description === "string" ? { description } : {}),
  };
}
