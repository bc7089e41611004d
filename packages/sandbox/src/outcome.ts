import { constants } from "node:os";
import type { Processes, RunOutcome, RunRequest } from "@haft/core/tool";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** The parts of an outcome that tell how a program ended. */
export type Code = Pick<RunOutcome, "exitCode" | "signal" | "cwd">;

/**
 * Programs between us and the command report death by a signal as exit code 128 + n. If the shell reached
 * its last line (it then reported its folder), the code is the script's own. Otherwise it is read as that signal.
 */
export function signalOf<T extends Code>(outcome: T): T {
  const { exitCode, cwd } = outcome;
  const signal = exitCode !== null && exitCode > 128 && cwd === undefined ? SIGNALS.get(exitCode - 128) : undefined;
  return signal === undefined ? outcome : { ...outcome, exitCode: null, signal };
}

/** Signals that a shell does not report. */
const UNSAID: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE];

/** The same for a shell that reports signals in words: `exit 137` is then an exit code. */
export const saidSignalOf = <T extends Code>(outcome: T, said: string | undefined): T =>
  said === undefined && !UNSAID.includes((outcome.exitCode ?? 0) - 128) ? outcome : signalOf(outcome);

/**
 * Whether bwrap failed, not the program. A program can imitate its failure (exit code 1, one line), so this tries the
 * same fence again with an empty command.
 */
export async function brokenSandbox(outcome: RunOutcome, run: Processes["run"], request: RunRequest): Promise<boolean> {
  const isSuspect = outcome.exitCode === 1 && outcome.stdout === "" && /^bwrap: /.test(outcome.stderr);
  if (!isSuspect || outcome.cwd !== undefined) return false;
  const again = await run({ command: ":", cwd: request.cwd, timeoutMs: 5000 });
  return again.exitCode !== 0;
}
