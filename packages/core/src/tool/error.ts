/** The error codes of refused calls: by rules, hooks or people. */
export const refusalCodes = [
  "denied_by_rule",
  "denied_by_mode",
  "denied_by_user",
  "denied_by_hook",
  "needs_approval",
  "forbidden_command",
  "approval_expired",
] as const;

/** The closed list of error codes. */
export const errorCodes = [
  // before anything happened
  "unknown_tool",
  "invalid_json",
  "invalid_input",
  "validation_failed",
  "tool_unavailable",
  ...refusalCodes,
  // files
  "file_not_found",
  "is_directory",
  "not_directory",
  "file_exists",
  "file_too_large",
  "binary_file",
  "permission_denied",
  "outside_workspace",
  "protected_path",
  "read_first",
  "file_changed",
  "no_space",
  // edits
  "match_not_found",
  "match_ambiguous",
  "no_change",
  "patch_invalid",
  // processes and bounds
  "command_failed",
  "command_not_found",
  "timeout",
  "cancelled",
  "sandbox_denied",
  "sandbox_unavailable",
  "undeclared_effect",
  "conflict",
  // elsewhere
  "address_blocked",
  "fetch_failed",
  "mcp_error",
  "discovered_tool_failed",
  "client_tool_failed",
  "agent_failed",
  "limit_reached",
  "execution_failed",
  "outcome_unknown",
] as const;

/** One of the `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];

/** A failure as data. `message` says what failed and why; `hint` says what to do about it. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** The next step for the model. Faces do not show it to people. */
  readonly advice?: string;
  /** Facts for programs: the field, the nearest names, the exit code. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const brand = Symbol.for("haft.HaftError");

/** The class of every expected failure in Haft. A tool may throw it; the executor turns it into a result. */
export class HaftError extends Error implements ToolError {
  readonly code: ErrorCode;
  readonly hint?: string;
  readonly advice?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The output of the call before it failed; shown and kept like any output. */
  readonly output?: unknown;
  readonly [brand] = true;

  constructor(error: ToolError, options: ErrorOptions & { readonly output?: unknown } = {}) {
    super(error.message, "cause" in options ? { cause: options.cause } : {});
    if ("output" in options) this.output = options.output;
    this.name = "HaftError";
    this.code = error.code;
    if (error.hint !== undefined) this.hint = error.hint;
    if (error.advice !== undefined) this.advice = error.advice;
    if (error.details !== undefined) this.details = error.details;
  }

  /** Works across copies of the package, where `instanceof` does not. */
  static is(value: unknown): value is HaftError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Throws a `HaftError`: `fail("file_not_found", "…", "…")`. */
export function fail(
  code: ErrorCode,
  message: string,
  hint?: string,
  details?: Readonly<Record<string, unknown>>,
): never {
  throw new HaftError({
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
}

/**
 * Converts any thrown value to a `ToolError`. A string, `undefined` or a foreign error becomes `execution_failed`; an
 * abort becomes `cancelled`, a `TimeoutError` becomes `timeout`.
 */
export function toToolError(thrown: unknown): ToolError {
  if (HaftError.is(thrown)) {
    const { code, message, hint, advice, details } = thrown;
    return {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(advice === undefined ? {} : { advice }),
      ...(details === undefined ? {} : { details }),
    };
  }
  if (thrown instanceof Error || isErrorLike(thrown)) {
    if (thrown.name === "AbortError") return { code: "cancelled", message: "The call was cancelled." };
    if (thrown.name === "TimeoutError") return { code: "timeout", message: thrown.message || "The call timed out." };
    return { code: "execution_failed", message: thrown.message || thrown.name };
  }
  if (typeof thrown === "string" && thrown !== "") return { code: "execution_failed", message: thrown };
  return { code: "execution_failed", message: `The tool failed without a reason (it threw ${String(thrown)}).` };
}

function isErrorLike(value: unknown): value is { name: string; message: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { name?: unknown }).name === "string" &&
    typeof (value as { message?: unknown }).message === "string"
  );
}

/** The text of a failure for the model: the message, then the hint, then the advice. */
export const errorText = ({ message, hint, advice }: ToolError): string =>
  [message, hint, advice].filter(Boolean).join("\n");
