import { existsSync } from "node:fs";
import { readSessionLog } from "@haft/service";
import type { AgentOptions } from "../agent/index.ts";
import type { Haft } from "../app/haft.ts";

/**
 * Runs the calls of all prompts of a session. Their turns count on from prompt to prompt, also after a restart: an undo of
 * a turn means one turn of the session.
 */
export function withTurnNumbers(haft: Haft): AgentOptions["executor"] {
  let last: number | undefined;
  return {
    open(options) {
      last = (last ?? lastTurnIn(haft.session.path)) + 1;
      return haft.open({ ...options, turn: last });
    },
  };
}

function lastTurnIn(path: string | undefined): number {
  if (path === undefined || !existsSync(path)) return 0;
  return readSessionLog(path).entries.reduce(
    (last, { t, turn }) => (t === "call" && typeof turn === "number" ? Math.max(last, turn) : last),
    0,
  );
}
