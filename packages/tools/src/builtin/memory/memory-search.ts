import { defineTool, type MemoryEntry, state, text } from "@haft/core/tool";
import { entryWords } from "../support/session/memory-words.ts";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 500, description: "Some words of the fact." },
    limit: { type: "integer", minimum: 1, maximum: 50, default: 10, description: "Maximum number of entries." },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/** memory_search: finds entries of the memory by their words. */
export const memorySearch = defineTool({
  name: "memory_search",
  title: "Search memory",
  searchHint: "memory search recall facts remembered earlier sessions",
  description:
    "Finds facts that earlier sessions saved, by their words, best first. Reads what was saved meanwhile, too.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needs("memory", "this session does not store anything on disk"),
  effects: () => [state("memory", { change: false })],
  describe: ({ query }) => ({ title: `Search memory: ${query ?? ""}`, activity: "Searching the memory" }),
  async run({ query, limit = 10 }, { ports }): Promise<{ readonly entries: readonly MemoryEntry[] }> {
    return { entries: await portOf(ports, "memory").search(query, limit) };
  },
  sources: ({ entries }) => entries.flatMap(({ sources = [] }) => sources),
  toModel: ({ entries }) => [text(entries.length === 0 ? "No entry matches." : entries.map(entryWords).join("\n"))],
});
