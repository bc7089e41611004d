import { isDeepStrictEqual } from "node:util";
import { fail, type ScriptAnswer } from "@haft/core/tool";
import type { RecordedScript } from "./record.ts";

/** Answers the calls of a script from its record, in the recorded order. */
export interface Replay {
  /** The recorded answer to a call; `undefined` if the record has none. */
  answer(number: number, tool: string, input: unknown): Promise<ScriptAnswer> | undefined;
  readonly replayed: number;
}

/**
 * Answers come in the order in which they came then: a script may depend on it. An answer whose turn has not come waits
 * for the ones before it.
 */
export function createReplay({ answered, open }: RecordedScript): Replay {
  const known = new Map(answered.map((entry) => [entry.n, entry]));
  const waiting = new Map<number, () => void>();
  let next = 0;
  let replayed = 0;

  function deliver(): void {
    for (let entry = answered[next]; entry; entry = answered[next]) {
      const wake = waiting.get(entry.n);
      if (!wake) return;
      waiting.delete(entry.n);
      next += 1;
      wake();
    }
  }

  return {
    get replayed() {
      return replayed;
    },
    answer(number, tool, input) {
      const entry = known.get(number);
      if (!entry) return open.get(number) === false ? Promise.resolve(unknownOutcome(tool)) : undefined;
      if (entry.tool !== tool || !isDeepStrictEqual(entry.input, input))
        return Promise.reject(otherCourse(number, entry.tool, tool));
      replayed += 1;
      return new Promise((resolve) => {
        waiting.set(number, () => resolve(entry.answer));
        deliver();
      });
    },
  };
}

/** A call that had started to change something must not be made again. */
const unknownOutcome = (tool: string): ScriptAnswer => ({
  error: {
    name: "interrupted",
    message: `${tool} had started when Haft ended, so its effect is unknown. It was not repeated. Check before you go on.`,
  },
});

function otherCourse(number: number, was: string, now: string): Error {
  try {
    return fail(
      "conflict",
      `The script behaves differently than before: call ${number} was ${was} and is now ${now}.`,
      "Start over with reset: true.",
    );
  } catch (thrown) {
    return thrown as Error;
  }
}
