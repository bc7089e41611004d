import type { Clock } from "../../tool/index.ts";

/** A timeout that pauses while a person thinks. */
export interface Deadline {
  pause(): void;
  resume(): void;
  /** The call has ended; the timeout never fires. */
  stop(): void;
}

const none: Deadline = { pause() {}, resume() {}, stop() {} };

/** Calls `expire` after `ms` of running time. Without a limit it does nothing. */
export function startDeadline(clock: Clock, ms: number | undefined, expire: () => void): Deadline {
  if (ms === undefined || ms === Number.POSITIVE_INFINITY) return none;
  let left = ms;
  let since = clock.now();
  let timer: AbortController | undefined;
  let pauses = 0;

  function start(): void {
    const current = new AbortController();
    timer = current;
    since = clock.now();
    clock.sleep(left, current.signal).then(
      () => expire(),
      () => {},
    );
  }

  function halt(): void {
    timer?.abort();
    timer = undefined;
    left -= clock.now() - since;
  }

  start();
  return {
    pause() {
      if (pauses++ === 0) halt();
    },
    resume() {
      if (--pauses === 0) start();
    },
    stop() {
      timer?.abort();
    },
  };
}
