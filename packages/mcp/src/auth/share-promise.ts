/** Shares one run of the work among several callers. Each caller leaves by its own signal; after the last has left the work is aborted. */
export function sharePromise<A>(
  work: (asked: A, signal: AbortSignal) => Promise<void>,
): (asked: A, signal: AbortSignal) => Promise<void> {
  let current: Shared | undefined;

  function begin(asked: A): Shared {
    const stop = new AbortController();
    const shared: Shared = { done: work(asked, stop.signal).finally(() => forget(shared)), stop, waiting: 0 };
    // Waiting callers get a failure. If none waits any more, it is ignored.
    shared.done.catch(() => {});
    return shared;
  }

  function forget(shared: Shared): void {
    if (current === shared) current = undefined;
  }

  return async (asked, signal) => {
    signal.throwIfAborted();
    current ??= begin(asked);
    const shared = current;
    shared.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await Promise.race([shared.done, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        forget(shared);
        shared.stop.abort(signal.reason);
      }
    }
  };
}

interface Shared {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  /** The number of callers that wait for it. */
  waiting: number;
}
