import { defineTool, type MemoryEntry, state, text } from "@haft/core/tool";
import { entryWords } from "../support/session/memory-words.ts";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: { id: { type: "string", minLength: 1, maxLength: 40, description: "The id of the entry." } },
  required: ["id"],
  additionalProperties: false,
} as const;

/** memory_get: one entry of the memory with its origin. */
export const memoryGet = defineTool({
  name: "memory_get",
  title: "Read memory entry",
  searchHint: "memory get entry origin who wrote when",
  description: "Returns one entry of the memory with its origin: date, session, call, and the strangers behind it.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needs("memory", "this session does not store anything on disk"),
  effects: () => [state("memory", { change: false })],
  describe: ({ id }) => ({ title: `Read memory ${id ?? ""}`, activity: "Reading the memory" }),
  async run({ id }, { ports }): Promise<{ readonly entry: MemoryEntry }> {
    return { entry: await portOf(ports, "memory").get(id) };
  },
  sources: ({ entry }) => entry.sources ?? [],
  toModel: ({ entry }) => [text([entryWords(entry), ...origin(entry)].join("\n"))],
});

function origin({ origin: from, session, call, agent, sources = [] }: MemoryEntry): string[] {
  if (from === "hand") return ["A person wrote it."];
  return [
    `Written by ${agent ?? "an agent"} in session ${session}, call ${call}.`,
    ...(sources.length > 0 ? [`That session had read: ${sources.join(", ")}.`] : []),
  ];
}
