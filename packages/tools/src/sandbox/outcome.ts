import { constants } from "node:os";
import type { Processes, RunOutcome, RunRequest } from "@haft/core/tool";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * bwrap reports a program that a signal ended as exit code 128 + n. Where the shell came to its last line (then it told
 * its folder) the code is the script's own; else it is taken for the signal that it stands for.
 */
export function signalOf(outcome: RunOutcome): RunOutcome {
  const { exitCode, cwd } = outcome;
  const signal = exitCode !== null && exitCode > 128 && cwd === undefined ? SIGNALS.get(exitCode - 128) : undefined;
  return signal === undefined ? outcome : { ...outcome, exitCode: null, signal };
}

/**
 * Whether it was bwrap that failed and not the program. Its way to fail (exit code 1, one line) can be imitated, so the
 * same fence is tried once more with nothing in it.
 */
export async function brokenSandbox(outcome: RunOutcome, inner: Processes, request: RunRequest): Promise<boolean> {
  const isSuspect = outcome.exitCode === 1 && outcome.stdout === "" && /^bwrap: /.test(outcome.stderr);
  if (!isSuspect || outcome.cwd !== undefined) return false;
  const again = await inner.run({ command: ":", cwd: request.cwd, timeoutMs: 5000 });
  return again.exitCode !== 0;
}
