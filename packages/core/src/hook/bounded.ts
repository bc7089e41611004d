import type { Clock } from "../tool/index.ts";
import type { Hook } from "./hook.ts";

/** Default timeout of a hook in the host's own program: the same as in the Claude Agent SDK. */
export const HOOK_MS = 60_000;

/** Why a hook has no answer: it reached its timeout, or the call was cancelled meanwhile. */
export class NoAnswer extends Error {}

/**
 * The answer of a hook, or a `NoAnswer` after its timeout or when the call is cancelled, whatever the hook does then.
 * `ask` gets a signal that fires in either case.
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
    // A clock that fails must not leave the call open forever.
    clock.sleep(timeoutMs, answered.signal).then(expire, expire);
  });
  gone.catch(() => undefined);
  try {
    return await Promise.race([ask(signal), gone]);
  } finally {
    answered.abort();
  }
}
