import { toPublicJson } from "../../schema/index.ts";
import type { Catalog, State, Tool } from "../../tool/index.ts";
import { type CatalogOptions, createCatalog, type Deferred } from "../catalog.ts";
import type { Entry, Registry } from "../registry.ts";
import { type PendingSources, patientOnce } from "./arrivals.ts";
import { createSearches } from "./entry-index.ts";

/** When to defer definitions, and where to store the loaded names. */
export interface DeferralOptions {
  /** The tool that loads others. If an agent does not have it, nothing is deferred, because nothing could be loaded. */
  readonly loader: string;
  /**
   * Limit in tokens for the definitions of tools from elsewhere, all together; above it they are deferred. 0 always
   * defers them. Default 20,000: a tenth of a context of 200,000.
   */
  readonly maxTokens?: number;
  /** The store of the loaded names: part of the session, so that no compaction of messages loses them. */
  readonly state: State;
  readonly arrivals?: PendingSources;
}

/** The tools of one agent's request, in offer order. */
export interface Split {
  /** Tools with their definitions. */
  readonly offered: readonly Entry[];
  /** Tools by name only. */
  readonly deferred: readonly Entry[];
  /** The names of all tools that may be loaded or are loaded: stable as long as no tool is added or removed. */
  readonly names: readonly string[];
}

/** Decides which definitions a request carries, and remembers the tools that each agent has been offered. */
export interface Deferral extends Deferred {
  readonly loader: string;
  /** Splits the tools available to an agent. From then on calls of the deferred tools are refused until they are loaded. */
  split(available: readonly Entry[], agent: string): Split;
  /** Whether the agent knows only the tool's name. Always false for an agent that never got an offer. */
  isDeferred(name: string, agent: string): boolean;
  /** Prepares the search if the agent has anything to search; pauses and rejects like `searches.prepare`. */
  prepare(registry: Registry, agent: string, pause: () => Promise<void>): Promise<void>;
  /** The loaded tools, in the order of loading. */
  loaded(agent: string): readonly string[];
  /** The catalog of an agent over this deferral. */
  catalog(around: Omit<CatalogOptions, "deferral">): Catalog;
}

/** The share of a context that the definitions of tools from elsewhere may take. */
export const DEFAULT_DEFER_SHARE = 0.1;
/** Tokens of a context whose size is unknown. */
export const DEFAULT_CONTEXT_TOKENS = 200_000;
/** Characters of English and JSON for each token, roughly. */
const CHARACTERS_A_TOKEN = 4;
/** The key of the loaded names in the session's state. */
const STATE = "catalog";

/** Never defers `always`, always defers `deferred`. It defers other tools from elsewhere when they are too many. */
export function mayBeDeferred({ tool, source }: Entry): boolean {
  if (tool.offer === "always") return false;
  return tool.offer === "deferred" || source.origin !== "builtin";
}

/** The deferral of one session. It reads and writes nothing but `state`. */
export function createDeferral({
  loader,
  maxTokens = DEFAULT_DEFER_SHARE * DEFAULT_CONTEXT_TOKENS,
  state,
  arrivals,
}: DeferralOptions): Deferral {
  const sizes = new WeakMap<Tool, number>();
  const hidden = new Map<string, ReadonlySet<string>>();
  const given = new Map<string, ReadonlySet<string>>();

  const loaded = (agent: string): readonly string[] =>
    state.get<Readonly<Record<string, readonly string[]>>>(STATE)?.[agent] ?? [];

  function load(names: readonly string[], agent: string): void {
    const all = [...new Set([...loaded(agent), ...names])];
    if (all.length > loaded(agent).length) state.set(STATE, { ...state.get<object>(STATE), [agent]: all });
  }

  function sizeOf(tool: Tool): number {
    const known = sizes.get(tool);
    if (known !== undefined) return known;
    const size = definitionTokens(tool);
    sizes.set(tool, size);
    return size;
  }

  function split(available: readonly Entry[], agent: string): Split {
    const canLoad = available.some(({ tool }) => tool.name === loader);
    const candidates = canLoad ? available.filter((entry) => entry.tool.name !== loader && mayBeDeferred(entry)) : [];
    const others = candidates.filter(({ tool }) => tool.offer !== "deferred");
    const isTooMuch = others.reduce((sum, { tool }) => sum + sizeOf(tool), 0) > maxTokens;
    // A definition that a request has carried stays: the model still knows it, and the cached start of the list stays
    // valid.
    if (!isTooMuch && others.length > 0) load(namesOf(others), agent);
    const has = new Set(loaded(agent));
    const deferred = candidates.filter(({ tool }) => !has.has(tool.name));
    const names = namesOf(isTooMuch ? candidates : candidates.filter(({ tool }) => tool.offer === "deferred"));
    const left = new Set(namesOf(deferred));
    hidden.set(agent, left);
    given.set(agent, new Set(namesOf(available).filter((name) => !left.has(name))));
    if (names.length === 0) return { offered: available, deferred, names };
    const movable = new Map(candidates.map((entry): [string, Entry] => [entry.tool.name, entry]));
    const fixed = available.filter(({ tool }) => !movable.has(tool.name));
    return { offered: [...fixed, ...[...has].flatMap((name) => movable.get(name) ?? [])], deferred, names };
  }

  const searches = createSearches(mayBeDeferred);
  return {
    loader,
    ...(arrivals ? { arrivals: patientOnce(arrivals) } : {}),
    searches,
    async prepare(registry, agent, pause) {
      if ((hidden.get(agent)?.size ?? 0) > 0) await searches.prepare(registry, pause);
    },
    split,
    isDeferred: (name, agent) => (hidden.get(agent)?.has(name) ?? false) && !loaded(agent).includes(name),
    isKnown: (name, agent) => (given.get(agent)?.has(name) ?? true) || loaded(agent).includes(name),
    load,
    loaded,
    // The object that it is called on decides: a copy may hide servers.
    catalog(around) {
      return createCatalog({ ...around, deferral: this });
    },
  };
}

/** Approximate tokens of a tool's definition in a request: a quarter of its characters. */
export function definitionTokens({ name, description, input }: Tool, text = ""): number {
  const words = typeof description === "string" ? description : text;
  return Math.ceil(
    JSON.stringify({ name, description: words, input_schema: toPublicJson(input.json) }).length / CHARACTERS_A_TOKEN,
  );
}

const namesOf = (entries: readonly Entry[]): string[] => entries.map(({ tool }) => tool.name);
