/** Time. Tests provide their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when it fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the JavaScript engine. A sleep that is cancelled rejects with the reason of its signal. */
export const createClock = (): Clock => ({ now: () => Date.now(), sleep });

/** Builds no error of its own, unlike Node's: most timeouts of calls are cancelled, and a stack trace costs more than a call. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
