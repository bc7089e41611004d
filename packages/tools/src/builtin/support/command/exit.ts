import type { ErrorCode, RunOutcome, ToolError } from "@haft/core/tool";
import { cureOf, endingOf } from "./exit-hints.ts";
import { livesOn } from "./lives-on.ts";

/** The parts of a script's commands that this judgement needs. */
interface Commands {
  readonly commands?: readonly { readonly argv: readonly string[] }[];
}

/** The meaning of exit code 1, from the program's documentation, where it is not a failure. */
const benignOnes: Readonly<Record<string, string>> = {
  grep: "no line matched",
  egrep: "no line matched",
  fgrep: "no line matched",
  rg: "no line matched",
  "git grep": "no line matched",
  diff: "the files differ",
  cmp: "the files differ",
  "git diff": "there are differences",
  zgrep: "no line matched",
  ag: "no line matched",
  ack: "no line matched",
  zdiff: "the files differ",
  pgrep: "no process matched",
  pidof: "no process matched",
  which: "there is no such program",
  type: "there is no such command",
  "command -v": "there is no such command",
  "git merge-base": "it is not an ancestor",
  expr: "the result is 0 or empty",
  test: "the condition is false",
  "[": "the condition is false",
  "[[": "the condition is false",
};

/** Bash's own test is not a separate command. */
const ENDS_IN_TEST = /(?:^|[;&|\n])\s*\[\[ [^;&|\n]* \]\]\s*$/;

/** Programs whose first argument says what they do. */
const twoWords: ReadonlySet<string> = new Set(["git", "command"]);

/**
 * The meaning of a non-zero exit code that is not a failure: the last command ended with exit code 1. If an earlier
 * command may have ended the script, empty stderr must confirm it.
 */
export function benignExit(script: string, { commands = [] }: Commands, outcome: RunOutcome): string | undefined {
  if (outcome.exitCode !== 1) return undefined;
  const last = ENDS_IN_TEST.test(script) ? ["[["] : (commands.at(-1)?.argv ?? []);
  const program = last[0]?.split("/").at(-1) ?? "";
  const name = twoWords.has(program) ? `${program} ${last[1] ?? ""}` : program;
  const meaning = Object.hasOwn(benignOnes, name) ? benignOnes[name] : undefined;
  const mayStopEarly = commands.length > 1 && /&&|\bset\b|pipefail|\bexit\b/.test(script);
  return mayStopEarly && outcome.stderr !== "" ? undefined : meaning;
}

/** The reason why a command failed, or undefined if it did not. */
export function exitError(
  outcome: RunOutcome,
  timeoutMs: number,
  benign: string | undefined,
  { commands = [] }: Commands = {},
): ToolError | undefined {
  const { exitCode, signal, timedOut, cancelled } = outcome;
  if (cancelled) return { code: "cancelled", message: "The command was cancelled; its processes were ended." };
  if (timedOut)
    return {
      code: "timeout",
      message: `The command did not end within ${timeoutMs / 1000} s; its processes were ended.`,
      hint: timeoutHint(livesOn(commands)),
    };
  if (exitCode === 0 || benign !== undefined) return outcome.unapplied;
  const details = { exitCode, ...(signal ? { signal } : {}) };
  const said = outcome.denied ?? endingOf(exitCode, signal) ?? cureOf(wordsOf(outcome));
  const hint = said ?? (exitCode === 124 ? OUT_OF_TIME : undefined);
  const cure = hint === undefined ? {} : { hint };
  if (signal) return { code: "command_failed", message: `The command was ended by ${signal}.`, ...cure, details };
  return { code: codeOf(outcome), message: `Exit code ${exitCode}`, ...cure, details };
}

/** The meaning of the exit code of `timeout`; other programs hardly ever use it. */
const OUT_OF_TIME = "Exit code 124 means that `timeout` ended the command.";

/** A program's output, its errors last. */
export const wordsOf = ({ stdout, stderr }: Pick<RunOutcome, "stdout" | "stderr">): string => `${stdout}\n${stderr}`;

const timeoutHint = (program: string | undefined): string =>
  program === undefined
    ? "Give a longer timeout (at most 600000 ms), or split the work. Start servers in the background."
    : `\`${program}\` runs until it is stopped. Start it with run_in_background: true; process poll shows its output, TaskStop ends it.`;

const isNotFound = ({ exitCode, stderr }: RunOutcome): boolean =>
  exitCode === 127 && /not found|No such file/.test(stderr);

const codeOf = (outcome: RunOutcome): ErrorCode => (isNotFound(outcome) ? "command_not_found" : "command_failed");
