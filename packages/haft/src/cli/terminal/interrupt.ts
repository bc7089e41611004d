import { EXIT } from "../exit-code.ts";

/** The interrupt signal of this process's user. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** Ctrl-C, SIGHUP or SIGTERM cancels running work; the second one ends the process at once. */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const heard = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new DOMException("interrupted by the user", "AbortError"));
  };
  for (const name of names) process.on(name, heard);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, heard);
    },
  };
}
