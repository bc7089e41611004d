import { contentsText, type Result, type Traits, toJson } from "../tool/index.ts";

/** Number of equal calls with equal results that triggers a warning, a question, the end of the turn. */
export const LOOP_LIMITS = { warn: 3, ask: 5, stop: 8 } as const;

/** Equal calls further apart than this many calls are not a loop. */
const WINDOW = 30;

/**
 * Detects a model that repeats the same call and gets the same result each time. Only results from before a call was
 * made count against it: calls that are made together are not a loop.
 */
export interface LoopGuard {
  /** Number of results until now. */
  now(): number;
  /** How often this call had just had the same result, at the time when there were `known` results. */
  repeats(call: string, known: number): number;
  /** Records a result. Returns how often this call has had it, as far as the maker of the call could know. */
  note(call: string, known: number, result: Result, traits: Traits): number;
}

export function createLoopGuard(): LoopGuard {
  /** The latest results as a ring: each replaces one that is too old to count. */
  const latest: ({ readonly call: string; readonly result: string; readonly count: number } | undefined)[] = [];
  let results = 0;

  function last(call: string, known: number) {
    for (let at = known; at > 0 && at >= results - WINDOW; at--) {
      const entry = latest[at % (WINDOW + 1)];
      if (entry?.call === call) return entry;
    }
    return undefined;
  }

  return {
    now: () => results,
    repeats: (call, known) => last(call, known)?.count ?? 0,
    note(call, known, result, traits) {
      const text = `${result.error?.code ?? ""}\n${contentsText(result.content)}`;
      const before = last(call, known);
      const count = before?.result === text ? before.count + 1 : 1;
      results++;
      // A new change is progress: reading the same thing again afterwards is not a loop.
      if (count === 1 && !traits.isReadOnly && !result.error) latest.length = 0;
      latest[results % (WINDOW + 1)] = { call, result: text, count };
      return count;
    },
  };
}

/** The identity of a call: the tool and its input. */
export const sameCall = (tool: string, input: unknown): string => `${tool}\n${plainJson(input)}`;

/** Plain JSON is enough for most inputs, and much cheaper. */
function plainJson(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "";
  } catch {
    return toJson(input);
  }
}
