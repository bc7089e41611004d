import { HaftError } from "@haft/core/tool";

/** An error with its HTTP status. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint?: string;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    if (hint !== undefined) this.hint = hint;
  }
}

/** There is nothing of that name. */
export const unknownThing = (what: string, hint?: string): Problem => new Problem(404, "not_found", what, hint);

/** Statuses of the errors that a client can do something about. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_input: 400,
  invalid_json: 400,
  validation_failed: 400,
  unknown_tool: 404,
  file_not_found: 404,
  conflict: 409,
  tool_unavailable: 409,
  limit_reached: 429,
};

/** The answer for an error: its code, message and hint. An unexpected error keeps its message to the server's log. */
export function problemOf(thrown: unknown): Response {
  if (thrown instanceof Problem) return answer(thrown.status, thrown);
  if (HaftError.is(thrown)) return answer(STATUSES[thrown.code] ?? 422, thrown);
  process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
  return answer(500, { code: "internal", message: "The server failed on this request. See its log." });
}

const answer = (
  status: number,
  { code, message, hint }: { readonly code: string; readonly message: string; readonly hint?: string | undefined },
): Response => Response.json({ error: { code, message, ...(hint === undefined ? {} : { hint }) } }, { status });
