import type { Asker } from "@haft/core/approval";
import type { Terminal } from "../terminal/terminal.ts";

/** Asks the person at this terminal; undefined unless both ends are a terminal. Its code is loaded at the first question. */
export function attendedAsker(terminal: Terminal): Asker | undefined {
  if (!terminal.isAttended) return undefined;
  let opened: Promise<Asker> | undefined;
  return async (request, signal) => {
    opened ??= import("./ask-person.ts").then(({ terminalAsker }) => terminalAsker(terminal));
    return (await opened)(request, signal);
  };
}
