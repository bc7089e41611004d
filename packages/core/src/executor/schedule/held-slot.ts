import type { Slots } from "./slots.ts";

/** A running call's slot. It can be lent to others while the call only waits. */
export interface HeldSlot {
  /** Releases the slot until `wait` has settled, then takes one again. */
  lend<T>(wait: Promise<T>, signal: AbortSignal): Promise<T>;
  release(): void;
}

/** The next free slot: at once, or when it is this call's turn. */
export function holdSlot(slots: Slots, signal: AbortSignal): HeldSlot | Promise<HeldSlot> {
  const release = slots.take(signal);
  return release instanceof Promise ? release.then((now) => held(slots, now)) : held(slots, release);
}

function held(slots: Slots, first: () => void): HeldSlot {
  let release = first;
  let lent = 0;
  let ended = false;
  return {
    async lend(wait, waiting) {
      lent++;
      release();
      try {
        return await wait;
      } finally {
        // The last of several waits takes the slot back for all.
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
