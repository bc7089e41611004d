/** Time that jumps to the next timer once nothing else happens, so that minutes of recorded work take milliseconds. */
export interface VirtualClock {
  now(): number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Runs the work and moves time on until it ends. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Turns of the event loop without a new timer after which time may move on: reads of files take some. */
const QUIET_TURNS = 12;

export function virtualClock(): VirtualClock {
  const timers: { readonly at: number; readonly wake: () => void }[] = [];
  let [time, changes] = [0, 0];

  async function settle(): Promise<void> {
    for (let quiet = 0, seen = changes; quiet < QUIET_TURNS; quiet++) {
      await new Promise((resolve) => setTimeout(resolve, quiet > QUIET_TURNS / 2 ? 1 : 0));
      if (changes === seen) continue;
      [quiet, seen] = [0, changes];
    }
  }

  return {
    now: () => time,
    sleep: (ms) =>
      new Promise((resolve) => {
        changes++;
        timers.push({ at: time + ms, wake: resolve });
      }),
    async run(work) {
      let ended = false;
      const result = work().finally(() => {
        ended = true;
        changes++;
      });
      // An error is the caller's to handle, after the loop.
      result.catch(() => {});
      while (!ended) {
        await settle();
        if (ended) break;
        timers.sort((a, b) => a.at - b.at);
        const next = timers.shift();
        if (!next) continue;
        time = next.at;
        changes++;
        next.wake();
      }
      return result;
    },
  };
}
