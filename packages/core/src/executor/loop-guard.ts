import { contentsText, type Result, type Traits, toJson } from "../tool/index.ts";

/** From how many equal calls with equal results on something is done about it: a warning, a question, the end of the turn. */
export const LOOP_LIMITS = { warn: 3, ask: 5, stop: 8 } as const;

/** Equal calls further apart than this many calls are no loop. */
const WINDOW = 30;

/**
 * Notices a model that makes the same call over and over and gets the same result each time. Only results that came
 * before a call was made count against it: calls that are made together are no loop.
 */
export interface LoopGuard {
  /** How many results there were until now. */
  now(): number;
  /** How often this call had just had the same result, when there were so many results. */
  repeats(call: string, known: number): number;
  /** Takes note of a result; returns how often this call has had it now, as far as whoever made it could know. */
  note(call: string, known: number, result: Result, traits: Traits): number;
}

export function createLoopGuard(): LoopGuard {
  /** The latest results, each in the place of the one that is too old to count. */
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
      // A change that is new is progress: looking at the same thing again afterwards is not a loop.
      if (count === 1 && !traits.isReadOnly && !result.error) latest.length = 0;
      latest[results % (WINDOW + 1)] = { call, result: text, count };
      return count;
    },
  };
}

/** What makes two calls the same: the tool and its input. */
export const sameCall = (tool: string, input: unknown): string => `${tool}\n${plainJson(input)}`;

/** What plain JSON can say needs no more than that, which is much cheaper. */
function plainJson(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "";
  } catch {
    return toJson(input);
  }
}
