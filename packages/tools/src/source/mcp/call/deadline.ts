import { HaftError } from "@haft/core/tool";

/** How long a remote call may take. */
export interface CallLimits {
  /** Milliseconds without a sign of life. */
  readonly idleMs: number;
  /** Milliseconds altogether, however lively. */
  readonly totalMs: number;
}

/** The time of one call: every sign of life winds it up again, and it stands still while a person is asked. */
export interface CallDeadline {
  readonly signal: AbortSignal;
  alive(): void;
  pause(): void;
  resume(): void;
  stop(): void;
}

/**
 * Starts the clock. The signal fires with a `timeout` error, or with the reason of `outer`. `heard`: what the server said
 * meanwhile beside an answer, which may be why there is none.
 */
export function startCallDeadline(
  what: string,
  { idleMs, totalMs }: CallLimits,
  outer: AbortSignal,
  heard: () => string = () => "",
): CallDeadline {
  const controller = new AbortController();
  let leftMs = totalMs;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let paused = false;
  const expire = (ms: number, why: string) => () => {
    const words = heard();
    controller.abort(
      new HaftError({
        code: "timeout",
        message: `${what} gave no answer within ${ms} ms${why}. What it has done by then is not known.${words && `\nIt said meanwhile:\n${words}`}`,
        hint: "Give it more time with callTimeoutMs in the server's settings.",
      }),
    );
  };

  function run(): void {
    clearTimeout(timer);
    const total = leftMs - (performance.now() - since);
    timer =
      total < idleMs
        ? setTimeout(expire(totalMs, " altogether"), Math.max(0, total))
        : setTimeout(expire(idleMs, " of its last sign of life"), idleMs);
  }

  const onOuter = (): void => controller.abort(outer.reason);
  if (outer.aborted) onOuter();
  else outer.addEventListener("abort", onOuter, { once: true });
  run();
  return {
    signal: controller.signal,
    alive() {
      if (!paused) run();
    },
    pause() {
      if (paused) return;
      paused = true;
      clearTimeout(timer);
      leftMs -= performance.now() - since;
    },
    resume() {
      if (!paused) return;
      paused = false;
      since = performance.now();
      run();
    },
    stop() {
      clearTimeout(timer);
      outer.removeEventListener("abort", onOuter);
    },
  };
}
