import type { CallStatus } from "@haft/core/executor";
import { HaftError, type ToolError } from "@haft/core/tool";

/** The exit codes that scripts rely on. */
export const EXIT = {
  ok: 0,
  /** The tool, or the model, failed. */
  failed: 1,
  /** Wrong usage, broken settings, or a line that cannot be parsed. */
  usage: 2,
  denied: 3,
  /** The call needed a person's approval, and nobody was there. */
  needsApproval: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for the result of a call. */
export function exitCodeOf(status: CallStatus, error: ToolError | undefined): ExitCode {
  if (status === "ok") return EXIT.ok;
  if (status === "cancelled") return EXIT.interrupted;
  if (error?.code === "needs_approval") return EXIT.needsApproval;
  if (status === "denied") return EXIT.denied;
  return error?.code === "invalid_json" ? EXIT.usage : EXIT.failed;
}

/** The code of several calls: an invalid line first, else the highest of 4, 3, 1, 0. */
export function worstExit(codes: Iterable<ExitCode>): ExitCode {
  const all = new Set(codes);
  const order = [EXIT.interrupted, EXIT.usage, EXIT.needsApproval, EXIT.denied, EXIT.failed];
  return order.find((code) => all.has(code)) ?? EXIT.ok;
}

/** An error in the command line itself. Ends with exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
  readonly hint?: string;

  constructor(message: string, hint?: string) {
    super(message);
    if (hint !== undefined) this.hint = hint;
  }
}

/** A failure before anything ran, as text for a person. */
export function failureText(thrown: unknown): string {
  if (thrown instanceof UsageError || HaftError.is(thrown)) {
    return thrown.hint ? `${thrown.message}\n${thrown.hint}` : thrown.message;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
