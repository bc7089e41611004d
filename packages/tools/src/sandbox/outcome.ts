import { constants } from "node:os";
import type { Processes, RunOutcome, RunRequest } from "@haft/core/tool";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** What of an outcome tells how a program ended. */
export type Code = Pick<RunOutcome, "exitCode" | "signal" | "cwd">;

/**
 * Whoever stands between a program and us reports one that a signal ended as exit code 128 + n. Where the shell came to
 * its last line (then it told its folder) the code is the script's own; else it is taken for the signal that it stands for.
 */
export function signalOf<T extends Code>(outcome: T): T {
  const { exitCode, cwd } = outcome;
  const signal = exitCode !== null && exitCode > 128 && cwd === undefined ? SIGNALS.get(exitCode - 128) : undefined;
  return signal === undefined ? outcome : { ...outcome, exitCode: null, signal };
}

/** Signals of which a shell says nothing. */
const UNSAID: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE];

/** The same where a shell stands there that says in words when it was a signal: `exit 137` is an exit code then. */
export const saidSignalOf = <T extends Code>(outcome: T, said: string | undefined): T =>
  said === undefined && !UNSAID.includes((outcome.exitCode ?? 0) - 128) ? outcome : signalOf(outcome);

/**
 * Whether it was bwrap that failed and not the program. Its way to fail (exit code 1, one line) can be imitated, so the
 * same fence is tried once more with nothing in it.
 */
export async function brokenSandbox(outcome: RunOutcome, run: Processes["run"], request: RunRequest): Promise<boolean> {
  const isSuspect = outcome.exitCode === 1 && outcome.stdout === "" && /^bwrap: /.test(outcome.stderr);
  if (!isSuspect || outcome.cwd !== undefined) return false;
  const again = await run({ command: ":", cwd: request.cwd, timeoutMs: 5000 });
  return again.exitCode !== 0;
}
