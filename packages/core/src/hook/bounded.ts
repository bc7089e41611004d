import type { Clock } from "../tool/index.ts";
import type { Hook } from "./hook.ts";

/** How long a hook of the host's own program may take where it does not say: as long as the Claude Agent SDK waits for one. */
export const HOOK_MS = 60_000;

/** Why there is no answer of a hook: its time is over, or the call was cancelled meanwhile. */
export class NoAnswer extends Error {}

/**
 * The answer of a hook, or a `NoAnswer` once its time is over or the call is cancelled, whatever the hook does then. `ask` gets a signal
 * that fires in either case.
 */
export async function within<T>(
  { name, timeoutMs = HOOK_MS }: Hook,
  clock: Clock,
  cancelled: AbortSignal,
  ask: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const answered = new AbortController();
  const signal = AbortSignal.any([cancelled, over.signal]);
  const gone = new Promise<never>((_, reject) => {
    const cancel = () => reject(new NoAnswer(`The call was cancelled while hook "${name}" was asked.`));
    if (cancelled.aborted) cancel();
    cancelled.addEventListener("abort", cancel, { once: true, signal: answered.signal });
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    const expire = () => {
      if (answered.signal.aborted) return;
      reject(new NoAnswer(`Hook "${name}" gave no answer within ${timeoutMs / 1000} s.`));
      over.abort();
    };
    // A clock that fails must not leave the call open for ever.
    clock.sleep(timeoutMs, answered.signal).then(expire, expire);
  });
  gone.catch(() => undefined);
  try {
    return await Promise.race([ask(signal), gone]);
  } finally {
    answered.abort();
  }
}
