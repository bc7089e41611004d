import type { Slots } from "./slots.ts";

/** A running call's place. It can be lent to others while the call only waits. */
export interface HeldSlot {
  /** Gives the place back until `wait` has settled, then takes one again. */
  lend<T>(wait: Promise<T>, signal: AbortSignal): Promise<T>;
  release(): void;
}

export async function holdSlot(slots: Slots, signal: AbortSignal): Promise<HeldSlot> {
  let release = await slots.take(signal);
  let lent = 0;
  let ended = false;
  return {
    async lend(wait, waiting) {
      lent++;
      release();
      try {
        return await wait;
      } finally {
        // The last of several waits takes the place back for all.
        if (--lent === 0 && !ended && !waiting.aborted) {
          const again = await slots.take(waiting);
          if (ended) again();
          else release = again;
        }
      }
    },
    release() {
      ended = true;
      release();
    },
  };
}
