/** Takes turns: at most so many at the same time on each level; more of them wait. */
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
      // Who was woken and is gone wakes the next.
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
