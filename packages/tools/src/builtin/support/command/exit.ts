import type { ErrorCode, RunOutcome, ToolError } from "@haft/core/tool";

/** The commands of a script as far as this judgement needs them. */
export interface Commands {
  readonly commands?: readonly { readonly argv: readonly string[] }[];
}

/** What exit code 1 means, by the documentation of the program, where it is no failure. */
const benignOnes: Readonly<Record<string, string>> = {
  grep: "no line matched",
  egrep: "no line matched",
  fgrep: "no line matched",
  rg: "no line matched",
  "git grep": "no line matched",
  diff: "the files differ",
  cmp: "the files differ",
  "git diff": "there are differences",
  test: "the condition is false",
  "[": "the condition is false",
  "[[": "the condition is false",
};

/**
 * What a non-zero exit code means where it is no failure: the last command says so by exit code 1. Where an earlier
 * command may have ended the script, silence on stderr must confirm it.
 */
export function benignExit(script: string, { commands = [] }: Commands, outcome: RunOutcome): string | undefined {
  if (outcome.exitCode !== 1) return undefined;
  const last = commands.at(-1)?.argv ?? [];
  const program = last[0]?.split("/").at(-1) ?? "";
  const name = program === "git" ? `git ${last[1] ?? ""}` : program;
  const meaning = Object.hasOwn(benignOnes, name) ? benignOnes[name] : undefined;
  const mayStopEarly = commands.length > 1 && /&&|\bset\b|pipefail|\bexit\b/.test(script);
  return mayStopEarly && outcome.stderr !== "" ? undefined : meaning;
}

/** Why a command failed, or nothing when it did not. */
export function exitError(outcome: RunOutcome, timeoutMs: number, benign: string | undefined): ToolError | undefined {
  const { exitCode, signal, timedOut, cancelled } = outcome;
  if (cancelled) return { code: "cancelled", message: "The command was cancelled; its processes were ended." };
  if (timedOut)
    return {
      code: "timeout",
      message: `The command did not end within ${timeoutMs / 1000} s; its processes were ended.`,
      hint: "Give a longer timeout (at most 600000 ms), or split the work. A server must be started in the background.",
    };
  if (exitCode === 0 || benign !== undefined) return undefined;
  const details = { exitCode, ...(signal ? { signal } : {}) };
  if (signal) return { code: "command_failed", message: `The command was ended by ${signal}.`, details };
  return { code: codeOf(outcome), message: `Exit code ${exitCode}`, ...hintOf(outcome), details };
}

const isNotFound = ({ exitCode, stderr }: RunOutcome): boolean =>
  exitCode === 127 && /not found|No such file/.test(stderr);

const codeOf = (outcome: RunOutcome): ErrorCode => (isNotFound(outcome) ? "command_not_found" : "command_failed");

const hintOf = (outcome: RunOutcome): { hint?: string } =>
  isNotFound(outcome) ? { hint: "The program is not installed or not on PATH. Use another one, or install it." } : {};
