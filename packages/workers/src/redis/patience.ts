import { HaftError } from "@haft/core/tool";
import { commandProblem } from "./connect.ts";

/** Longest wait for one answer of Redis, in milliseconds. */
const ANSWER_MS = 20_000;
const BRIEF_MS = 1_500;

/**
 * An answer of Redis, as long as somebody wants it. A connection that was lost comes back by itself, so commands wait
 * for it; a call must not.
 */
export function patient<T>(answer: Promise<T>, signal: AbortSignal, ms = ANSWER_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      act();
    };
    const stop = (): void => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(noAnswer(ms))), ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    answer.then(
      (value) => settle(() => resolve(value)),
      (thrown) => settle(() => reject(commandProblem(thrown))),
    );
  });
}

/** Waits a moment for work that tidies up. Without Redis it would wait for ever. */
export async function briefly(work: Promise<unknown>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, BRIEF_MS);
  await Promise.race([work.catch(() => {}), timer.promise]);
  clearTimeout(timeout);
}

const noAnswer = (ms: number): HaftError =>
  new HaftError({
    code: "tool_unavailable",
    message: `Redis has not answered for ${ms / 1_000} seconds. The call was not started.`,
    hint: "Start Redis again; hosts and workers reconnect by themselves. Then call again.",
  });
