import type { Schema } from "../schema/index.ts";
import type { Entry, Registry } from "./registry.ts";
import { buildToolIndex, createToolIndex, type SearchableTool, type ToolIndex, withPauses } from "./search/index.ts";

/** A registered tool in the words of the search. */
export interface IndexedEntry extends SearchableTool {
  readonly entry: Entry;
}

/** The index over a registry, made anew only when the registry has changed and somebody searches. */
export interface Searches {
  (registry: Registry): ToolIndex<IndexedEntry>;
  /**
   * Makes it beforehand, with a pause every few milliseconds: many tools must not hold everything else up. Rejects when
   * `pause` does; who waits for the same one meanwhile makes it then.
   */
  prepare(registry: Registry, pause: () => Promise<void>): Promise<void>;
}

/** How often the making is begun again while tools come and go. Whoever searches then makes it at once. */
const MOST_ATTEMPTS = 3;

/** Keeps one index a registry, over the entries that `isWanted`. */
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
        // Whoever makes it may be stopped; then it is made here.
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

/** What a search knows of a registered tool. A description that depends on the offer is not read; its hint is. */
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

/** A schema that cannot be made hides its tool from offers; a search for the others goes on. */
function schemaOf(input: Schema): Pick<IndexedEntry, "inputSchema"> {
  try {
    return { inputSchema: input.json };
  } catch {
    return {};
  }
}
