import type { Clock } from "@haft/core/tool";
import { beat, type Followed, SILENCE_MS } from "./progress.ts";

/** Tells clients that their calls still run, while there are calls whose clients asked for progress. */
export interface Heartbeat {
  /** Starts with a call. The returned function ends it. */
  follow(call: Followed): () => void;
}

export function createHeartbeat(clock: Clock): Heartbeat {
  const calls = new Set<Followed>();
  let stop: AbortController | undefined;

  async function run({ signal }: AbortController): Promise<void> {
    for (;;) {
      await clock.sleep(SILENCE_MS, signal);
      for (const call of calls) beat(call, clock.now());
    }
  }

  return {
    follow(call) {
      calls.add(call);
      if (!stop) {
        stop = new AbortController();
        // It ends with an AbortError: a timer that nothing waits for would keep the process alive.
        run(stop).catch(() => {});
      }
      return () => {
        calls.delete(call);
        if (calls.size > 0) return;
        stop?.abort();
        stop = undefined;
      };
    },
  };
}
