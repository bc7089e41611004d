import type { Clock } from "../tool/index.ts";
import type { Hook } from "./hook.ts";

/** Default timeout of a hook in the host's own program: the same as in the Claude Agent SDK. */
export const HOOK_MS = 60_000;

/** Why a hook has no answer: it reached its timeout, or the call was cancelled meanwhile. */
export class NoAnswer extends Error {}

/** The reason of an abort that ends a timer. An abort without one builds an error with a stack trace. */
const ANSWERED = "answered";

/**
 * The answer of a hook, or a `NoAnswer` after its timeout or when the call is cancelled, whatever the hook does then.
 * `ask` gets a signal that fires in either case. An answer that is not a promise needs no timer.
 */
export async function within<T>(
  { name, timeoutMs = HOOK_MS }: Hook,
  clock: Clock,
  cancelled: AbortSignal,
  ask: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const over = new AbortController();
  if (cancelled.aborted) over.abort(cancelled.reason);
  const answer = ask(over.signal);
  if (!isThenable(answer)) return answer;
  const timer = new AbortController();
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const end = (why: string, reason?: unknown): void => {
    reject(new NoAnswer(why));
    over.abort(reason);
  };
  const cancel = () => end(`The call was cancelled while hook "${name}" ran.`, cancelled.reason);
  const expire = () => {
    if (!timer.signal.aborted) end(`Hook "${name}" gave no answer within ${timeoutMs / 1000} s.`);
  };
  if (cancelled.aborted) cancel();
  cancelled.addEventListener("abort", cancel, { once: true });
  // A clock that fails must not leave the call open forever.
  if (timeoutMs !== Number.POSITIVE_INFINITY) clock.sleep(timeoutMs, timer.signal).then(expire, expire);
  try {
    return await Promise.race([answer, gone]);
  } finally {
    cancelled.removeEventListener("abort", cancel);
    timer.abort(ANSWERED);
  }
}

const isThenable = <T>(answer: T | Promise<T>): answer is Promise<T> =>
  typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
