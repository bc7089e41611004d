import type { Schema } from "../../schema/index.ts";
import type { Entry, Registry } from "../registry.ts";
import { buildToolIndex, createToolIndex, type SearchableTool, type ToolIndex, withPauses } from "../search/index.ts";

/** A registered tool in the terms of the search. */
export interface IndexedEntry extends SearchableTool {
  readonly entry: Entry;
}

/** The index over a registry, rebuilt only at a search after the registry has changed. */
export interface Searches {
  (registry: Registry): ToolIndex<IndexedEntry>;
  /**
   * Builds the index beforehand, with a pause every few milliseconds: many tools must not block everything else.
   * Rejects when `pause` does; a concurrent caller that waits for the same build then builds it itself.
   */
  prepare(registry: Registry, pause: () => Promise<void>): Promise<void>;
}

/** Limit for restarts of the build while tools come and go. The next search then builds it synchronously. */
const MOST_ATTEMPTS = 3;

/** Keeps one index for each registry, over the entries that pass `isWanted`. */
export function createSearches(isWanted: (entry: Entry) => boolean): Searches {
  const known = new WeakMap<Registry, { readonly version: number; readonly index: ToolIndex<IndexedEntry> }>();
  const making = new WeakMap<Registry, { readonly version: number; readonly made: Promise<void> }>();
  const wanted = (registry: Registry): IndexedEntry[] => registry.entries().filter(isWanted).map(searchableEntry);

  function searches(registry: Registry): ToolIndex<IndexedEntry> {
    const { version } = registry;
    const before = known.get(registry);
    if (before?.version === version) return before.index;
    const index = createToolIndex(wanted(registry));
    known.set(registry, { version, index });
    return index;
  }

  async function make(registry: Registry, pause: () => Promise<void>): Promise<void> {
    const { version } = registry;
    const index = await withPauses(buildToolIndex(wanted(registry)), pause);
    if (registry.version === version) known.set(registry, { version, index });
  }

  async function prepare(registry: Registry, pause: () => Promise<void>): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { version } = registry;
      if (known.get(registry)?.version === version) return;
      const underWay = making.get(registry);
      if (underWay?.version === version) {
        // Another caller's build may be stopped; then it is built here.
        await underWay.made.catch(() => {});
        continue;
      }
      const made = make(registry, pause);
      making.set(registry, { version, made });
      try {
        await made;
      } finally {
        if (making.get(registry)?.made === made) making.delete(registry);
      }
    }
  }

  return Object.assign(searches, { prepare });
}

/** The searchable data of a registered tool. Its hint is read, but not a description that depends on the offer. */
export function searchableEntry(entry: Entry): IndexedEntry {
  const { tool, source } = entry;
  const { name, aliases, title, searchHint, description, input } = tool;
  return {
    entry,
    name,
    server: source.name,
    ...schemaOf(input),
    ...(aliases ? { aliases } : {}),
    ...(title === undefined ? {} : { title }),
    ...(searchHint === undefined ? {} : { hint: searchHint }),
    ...(typeof description === "string" ? { description } : {}),
  };
}

/** A schema that fails hides its tool from offers; a search for the others still works. */
function schemaOf(input: Schema): Pick<IndexedEntry, "inputSchema"> {
  try {
    return { inputSchema: input.json };
  } catch {
    return {};
  }
}
