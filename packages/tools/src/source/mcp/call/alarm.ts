/** Something that ends when its time is over. */
export interface Due {
  /** When, on the clock of `performance.now()`. May move to a later time while it waits, never to an earlier one. */
  dueAt(): number;
  expire(): void;
}

/** Wakes whatever is due. */
export interface Alarm {
  set(due: Due): void;
  unset(due: Due): void;
}

/** The largest time that a timer holds, in milliseconds. */
const MOST_MS = 2_147_483_647;

/**
 * One timer for many. Hardly any call gets as far as its limit, and to start and stop a timer for each costs more than
 * all else that its clock does. It keeps no process alive: what is waited for does.
 */
export function createAlarm(): Alarm {
  const waiting = new Set<Due>();
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;

  function wakeAt(time: number): void {
    clearTimeout(timer);
    wakesAt = time;
    timer = setTimeout(ring, Math.min(Math.max(0, time - performance.now()), MOST_MS)).unref();
  }

  function ring(): void {
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const due of waiting) {
      const dueAt = due.dueAt();
      if (dueAt > now) next = Math.min(next, dueAt);
      else {
        waiting.delete(due);
        due.expire();
      }
    }
    wakesAt = Number.POSITIVE_INFINITY;
    if (next < wakesAt) wakeAt(next);
  }

  return {
    set(due) {
      waiting.add(due);
      const dueAt = due.dueAt();
      if (dueAt < wakesAt) wakeAt(dueAt);
    },
    unset: (due) => void waiting.delete(due),
  };
}
