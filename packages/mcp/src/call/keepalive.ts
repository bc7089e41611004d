/** An operation that ends at its deadline. */
export interface Due {
  /** The deadline, on the clock of `performance.now()`. May move to a later time while it waits, never to an earlier one. */
  dueAt(): number;
  expire(): void;
}

/** Ends every operation that is due. */
interface Alarm {
  set(due: Due): void;
  unset(due: Due): void;
}

/** The largest time that a timer holds, in milliseconds. */
const MOST_MS = 2_147_483_647;

/**
 * One timer for many calls. Hardly any call reaches its limit, and a timer per call would cost more than the rest of its clock. The timer
 * does not keep the process alive: the awaited work does.
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
