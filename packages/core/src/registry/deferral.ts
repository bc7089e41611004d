import { toPublicJson } from "../schema/index.ts";
import type { State, Tool } from "../tool/index.ts";
import { type Arrivals, patientOnce } from "./arrivals.ts";
import { createSearches, type Searches } from "./entry-index.ts";
import type { Entry, Registry } from "./registry.ts";

/** When definitions are left out, and where it is kept what was loaded. */
export interface DeferralOptions {
  /** The tool that loads others. Where an agent does not have it, nothing is deferred: nothing could be loaded. */
  readonly loader: string;
  /**
   * Tokens that the definitions of tools from elsewhere may take together before they are left out; 0 leaves them out
   * always. Default 20,000: a tenth of a context of 200,000.
   */
  readonly maxTokens?: number;
  /** Where the loaded names are kept: with the session, so that no compaction of messages loses them. */
  readonly state: State;
  readonly arrivals?: Arrivals;
}

/** The tools of one agent's request, in the order in which they are offered. */
export interface Split {
  /** With their definitions. */
  readonly offered: readonly Entry[];
  /** By name only. */
  readonly deferred: readonly Entry[];
  /** The names of all that may be loaded or have been: the same as long as no tool comes or goes. */
  readonly names: readonly string[];
}

/** Decides whose definition a request carries, and remembers what each agent has been told. */
export interface Deferral {
  readonly loader: string;
  readonly arrivals?: Arrivals;
  /** Searches what may be deferred. */
  readonly searches: Searches;
  /** Splits what is available to an agent. From then on calls of the deferred tools are refused until they are loaded. */
  split(available: readonly Entry[], agent: string): Split;
  /** Whether the agent knows no more than the tool's name. Nobody who was never given an offer is held to it. */
  isDeferred(name: string, agent: string): boolean;
  /** Whether the agent has been given the tool's definition: not what has come since its last offer. */
  isKnown(name: string, agent: string): boolean;
  /** Gets the search ready where the agent has something to search for; pauses and rejects as `searches.prepare` does. */
  prepare(registry: Registry, agent: string, pause: () => Promise<void>): Promise<void>;
  load(names: readonly string[], agent: string): void;
  /** In the order in which they were loaded. */
  loaded(agent: string): readonly string[];
}

/** The share of a context that definitions of tools from elsewhere may take. */
export const DEFAULT_DEFER_SHARE = 0.1;
/** Tokens of a context, where nobody says how large it is. */
export const DEFAULT_CONTEXT_TOKENS = 200_000;
/** Characters of English and JSON that make a token, roughly. */
const CHARACTERS_A_TOKEN = 4;
/** The name under which the session's state keeps what is loaded. */
const STATE = "catalog";

/** `always` is never deferred, `deferred` always; of the others those from elsewhere are, when they are too many. */
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
    // What a request has carried once stays: the model goes on knowing it, and the start of the list goes on being cached.
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
  };
}

/** Tokens that a tool's definition takes in a request, roughly: a quarter of its characters. */
export function definitionTokens({ name, description, input }: Tool, text = ""): number {
  const words = typeof description === "string" ? description : text;
  return Math.ceil(
    JSON.stringify({ name, description: words, input_schema: toPublicJson(input.json) }).length / CHARACTERS_A_TOKEN,
  );
}

const namesOf = (entries: readonly Entry[]): string[] => entries.map(({ tool }) => tool.name);
