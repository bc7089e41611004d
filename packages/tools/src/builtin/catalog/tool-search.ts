import {
  type Catalog,
  type CatalogAnswer,
  type CatalogTool,
  type Clock,
  defineTool,
  type FailedSource,
  fail,
  text,
} from "@haft/core/tool";
import { deferredText } from "../support/deferred-text.ts";

/** Milliseconds that a search waits for servers that are still connecting. */
const WAIT_MS = 5_000;
/** Default and maximum number of tools that a search loads. */
const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 20;

const input = {
  type: "object",
  properties: {
    query: {
      type: "string",
      minLength: 1,
      maxLength: 2000,
      description:
        '"select:NAME,NAME" loads these tools. Otherwise words for the task; a word with a leading + is required.',
    },
    max_results: {
      type: "integer",
      minimum: 1,
      maximum: MOST_RESULTS,
      default: DEFAULT_RESULTS,
      description: `Maximum number of tools to load by words. Default ${DEFAULT_RESULTS}.`,
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/** The output of a search for programs. */
export interface ToolSearchOutput {
  readonly query: string;
  /** Best first. All of them are loaded now; `isLoaded` marks those that were loaded before. */
  readonly tools: readonly CatalogTool[];
  readonly missing: CatalogAnswer["missing"];
  /** Sources that did not answer before the search ended. */
  readonly connecting: readonly string[];
  readonly failed: readonly FailedSource[];
}

/** ToolSearch: finds tools that are offered by name only, and loads their definitions. */
export const toolSearch = defineTool({
  name: "ToolSearch",
  aliases: ["tool_search"],
  rules: { groups: ["search"] },
  title: "Search tools",
  searchHint: "find load more tools by name or keyword",
  description: ({ deferred = [], connecting = [] }) => deferredText(deferred, connecting),
  input,
  offer: "always",
  when: ({ ports }) =>
    ports.has("catalog") || { absent: "not needed: all tools are offered directly (gates.toolSearch)" },
  // The list of definitions in a request is Haft's own, like a live title. The search touches nothing that a rule could
  // guard, undo could revert or another call could disturb. So it never asks, and it runs in every mode.
  can: [],
  effects: () => [],
  override: { kind: "search", because: "it looks for tools; without effects it would count as thinking" },
  describe: ({ query }) =>
    query === undefined
      ? { title: "Search tools", activity: "Searching tools" }
      : { title: `Search tools: ${query}`, activity: `Searching tools: ${query}` },
  async run({ query, max_results = DEFAULT_RESULTS }, { ports, signal }): Promise<ToolSearchOutput> {
    const { catalog, clock } = ports;
    if (!catalog) fail("tool_unavailable", "There is no tool catalog here.", "Use the offered tools.");
    await catalog.prepare(() => clock.sleep(0, signal));
    let found = catalog.search(query, max_results);
    if (catalog.connecting().length > 0 && !isWhole(query, found)) {
      await settled(catalog, clock, signal);
      await catalog.prepare(() => clock.sleep(0, signal));
      found = catalog.search(query, max_results);
    }
    catalog.load(found.tools.map(({ name }) => name));
    return { query, ...found, connecting: catalog.connecting(), failed: catalog.failed() };
  },
  toModel: (output) => [text(sentences(output))],
  toDisplay: ({ tools }) =>
    tools.length === 0
      ? { kind: "text", text: "No tools found." }
      : {
          kind: "table",
          columns: ["tool", "from", ""],
          rows: tools.map(({ name, server, summary }) => [name, server, summary]),
        },
});

/** Whether servers that are still connecting cannot change the answer: every tool was requested by name and found. */
const isWhole = (query: string, { tools, missing }: CatalogAnswer): boolean =>
  /^\s*select\s*:/i.test(query) && tools.length > 0 && missing.length === 0;

async function settled(catalog: Catalog, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const timer = clock.sleep(WAIT_MS, either).then(
    () => over.abort(),
    () => {},
  );
  await catalog.settled(either);
  over.abort();
  await timer;
  signal.throwIfAborted();
}

function sentences({ query, tools, missing, connecting, failed }: ToolSearchOutput): string {
  const fresh = tools.filter(({ isLoaded }) => !isLoaded);
  const known = tools.filter(({ isLoaded }) => isLoaded);
  const parts = [
    fresh.length > 0 ? `Loaded; call them from your next message on:\n${fresh.map(line).join("\n")}` : "",
    known.length > 0 ? `Already among your tools:\n${known.map(line).join("\n")}` : "",
    ...missing.map(
      ({ name, nearest }) => `There is no tool "${name}".${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`,
    ),
    tools.length === 0 && missing.length === 0
      ? `No tool matches "${query}". Try other or fewer words, without +, or select a name from the list.`
      : "",
    connecting.length > 0 ? `Still connecting, so their tools are unknown yet: ${connecting.join(", ")}.` : "",
    tools.length === 0 ? failed.map(({ name, why }) => `${name} could not be reached: ${why}`).join("\n") : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const line = ({ name, summary }: CatalogTool): string => (summary === "" ? `- ${name}` : `- ${name}: ${summary}`);
