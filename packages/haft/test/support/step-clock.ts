import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "@haft/core/tool";

/** A clock that stands still until a test moves it on. */
export interface StepClock extends Clock {
  /** Moves on, waking sleepers in the order of their times; what they begin meanwhile is woken too. */
  advance(ms: number): Promise<void>;
  /** How many sleep. */
  readonly sleepers: number;
}

export function stepClock(): StepClock {
  let now = 0;
  const asleep = new Set<{ readonly at: number; wake(): void }>();

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve };
        asleep.add(sleeper);
        signal?.addEventListener("abort", () => {
          asleep.delete(sleeper);
          reject(signal.reason);
        });
      }),
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await turn();
        const [next] = [...asleep].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        now = next.at;
        asleep.delete(next);
        next.wake();
      }
      now = end;
    },
    get sleepers() {
      return asleep.size;
    },
  };
}
