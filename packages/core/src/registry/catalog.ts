import type { Catalog, CatalogTool, OfferContext } from "../tool/index.ts";
import type { PendingSources } from "./deferral/arrivals.ts";
import type { Searches } from "./deferral/entry-index.ts";
import type { Entry, Registry } from "./registry.ts";
import { EXACT_SCORE } from "./search/ranking.ts";

/** The tools whose definitions are left out, and which of them each agent has. */
export interface Deferred {
  readonly arrivals?: PendingSources;
  /** Searches the tools that may be deferred. */
  readonly searches: Searches;
  /** Whether the agent has received the tool's definition; false for tools added since its last offer. */
  isKnown(name: string, agent: string): boolean;
  load(names: readonly string[], agent: string): void;
}

/** The parts of a catalog, for one agent. */
export interface CatalogOptions {
  readonly registry: Registry;
  isAvailable(entry: Entry, now: OfferContext): boolean;
  /** The context for tools, and the agent that asks; `tools` is filled in here. */
  context(): Omit<OfferContext, "tools">;
  readonly deferral: Deferred;
}

/** Limit for corrected names; each is compared with the names of all tools, and a query has room for hundreds. */
const MOST_SUGGESTIONS = 5;

/** The catalog of one agent: a search does not find a tool that is not available to the agent. */
export function createCatalog({ registry, context, deferral, ...options }: CatalogOptions): Catalog {
  const catalogTool = (entry: Entry, score: number, agent: string): CatalogTool => ({
    name: entry.tool.name,
    server: entry.source.name,
    summary: summaryOf(entry),
    score,
    isLoaded: deferral.isKnown(entry.tool.name, agent),
  });

  return {
    prepare: (pause) => deferral.searches.prepare(registry, pause),
    search(query, limit) {
      const now = { ...context(), tools: registry.names() };
      const isAvailable = (entry: Entry): boolean => options.isAvailable(entry, now);
      const agent = now.agent.id;
      const found = deferral.searches(registry).search(query, { limit, accept: ({ entry }) => isAvailable(entry) });
      // A query may also name a tool that is never deferred: the model has it already.
      const others = found.missing.map((name) => ({ name, entry: registry.get(name) }));
      const known = others.flatMap(({ entry }) =>
        entry && isAvailable(entry) ? [catalogTool(entry, EXACT_SCORE, agent)] : [],
      );
      return {
        tools: [...found.hits.map(({ tool, score }) => catalogTool(tool.entry, score, agent)), ...known],
        missing: others
          .filter(({ entry }) => !entry || !isAvailable(entry))
          .map(({ name }, at) => {
            const nearest = at < MOST_SUGGESTIONS ? registry.suggest(name) : undefined;
            const meant = nearest === undefined ? undefined : registry.get(nearest);
            return { name, ...(meant && isAvailable(meant) ? { nearest: meant.tool.name } : {}) };
          }),
      };
    },
    load: (names) =>
      deferral.load(
        names.flatMap((name) => registry.get(name)?.tool.name ?? []),
        context().agent.id,
      ),
    connecting: () => deferral.arrivals?.connecting() ?? [],
    failed: () => deferral.arrivals?.failed() ?? [],
    settled: async (signal) => deferral.arrivals?.settled(signal),
  };
}

/** Limit in characters for a tool's summary. */
const SUMMARY_CHARS = 160;

function summaryOf({ tool }: Entry): string {
  const text = typeof tool.description === "string" ? tool.description : (tool.title ?? tool.searchHint ?? "");
  const [line = ""] = text.trim().split(/\n|(?<=[.!?])\s/);
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS - 1)}…` : line;
}
