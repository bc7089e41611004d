import { contentsText, type Result, type Traits, toJson } from "../tool/index.ts";

/** From how many equal calls with equal results on something is done about it (CONTRACT §5). */
export const LOOP_LIMITS = { warn: 3, ask: 5, stop: 8 } as const;

/** Equal calls further apart than this many calls are no loop. */
const WINDOW = 30;

/** Notices a model that makes the same call over and over and gets the same result each time. */
export interface LoopGuard {
  /** How often this call has just had the same result. */
  repeats(call: string): number;
  /** Takes note of a result; returns how often this call has had it now. */
  note(call: string, result: Result, traits: Traits): number;
}

export function createLoopGuard(): LoopGuard {
  const seen = new Map<string, { readonly result: string; count: number; at: number }>();
  let calls = 0;

  const fresh = (key: string) => {
    const entry = seen.get(key);
    return entry && calls - entry.at <= WINDOW ? entry : undefined;
  };

  return {
    repeats: (call) => fresh(call)?.count ?? 0,
    note(call, result, traits) {
      const text = `${result.error?.code ?? ""}\n${contentsText(result.content)}`;
      const before = fresh(call);
      const count = before?.result === text ? before.count + 1 : 1;
      calls++;
      // A change that is new is progress: looking at the same thing again afterwards is not a loop.
      if (count === 1 && !traits.isReadOnly && !result.error) seen.clear();
      seen.set(call, { result: text, count, at: calls });
      if (seen.size > 4 * WINDOW) forgetOldest(seen);
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

function forgetOldest(seen: Map<string, unknown>): void {
  const [oldest] = seen.keys();
  if (oldest !== undefined) seen.delete(oldest);
}
