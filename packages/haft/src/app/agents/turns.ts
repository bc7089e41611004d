/** Limits concurrency: at most `most` run at the same time on each level; others wait. */
export function createTurns(most: number): (level: number, signal: AbortSignal) => Promise<() => void> {
  const working = new Map<number, { running: number; waiting: (() => void)[] }>();
  return async (depth, signal) => {
    const level = working.get(depth) ?? { running: 0, waiting: [] };
    working.set(depth, level);
    while (level.running >= most) {
      await new Promise<void>((resolve) => {
        level.waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      // A waiter that was woken but has already been aborted wakes the next one.
      if (signal.aborted) level.waiting.shift()?.();
      signal.throwIfAborted();
    }
    level.running++;
    return () => {
      level.running--;
      level.waiting.shift()?.();
    };
  };
}
