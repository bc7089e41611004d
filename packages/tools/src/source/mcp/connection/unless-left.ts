/** What several wait for, and whoever leaves by a signal of their own no longer. */
export async function unlessLeft<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
