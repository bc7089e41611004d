/** Shared work, awaited only until the caller's own signal fires. */
export async function abortableWait<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(signal.reason);
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([left.promise, work]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
