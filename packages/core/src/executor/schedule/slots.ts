/** Limits how many run at the same time, first come first served. */
export interface Slots {
  /** Takes a slot, at once if one is free; the returned function releases it, once. */
  take(signal: AbortSignal): (() => void) | Promise<() => void>;
}

/** Slots of one process. */
export function createSlots(limit: number): Slots {
  let free = Math.max(1, limit);
  const waiting: (() => void)[] = [];

  function releaser(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
  }

  return {
    take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return releaser();
      }
      return new Promise((resolve, reject) => {
        const go = () => {
          signal.removeEventListener("abort", stop);
          resolve(releaser());
        };
        const stop = () => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        waiting.push(go);
        signal.addEventListener("abort", stop, { once: true });
      });
    },
  };
}
