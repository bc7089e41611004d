import type { Decision } from "../policy/index.ts";
import { refusalCodes } from "../tool/error.ts";
import type { AgentRef, Caller, CallRef, Effect, FileContents, Result, Traits } from "../tool/index.ts";

/** One request by a model (or a host) to run a tool. */
export interface CallRequest {
  /** Unique in the session. */
  readonly id: string;
  readonly tool: string;
  /** The arguments, parsed; or with `json` the text that the model wrote. */
  readonly input?: unknown;
  readonly json?: string;
  /**
   * Who has already said yes to this very call, where the host itself asks people (an SDK's own approval parts). Counts
   * once, for an ask; a denial stays one. Set by the host's program, never from what a model or a client wrote.
   */
  readonly approved?: string;
  /** With `approved`: whether that yes was given to what the command's files hold now, see `Explanation.contents`. */
  readonly approvedFor?: (contents: FileContents | undefined) => boolean;
  /** Who asks for it, where they can be asked back; the calls that it makes in turn have the same. */
  readonly caller?: Caller;
}

/** How a call ended, in one word. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled";

/** Who said yes, and for how long it counts. */
export interface ApprovalNote {
  readonly by: string;
  readonly scope: string;
}

/** Everything that is known of a call that has ended. */
export interface CallOutcome {
  readonly call: CallRef;
  readonly agent: AgentRef;
  readonly status: CallStatus;
  readonly result: Result;
  /** The input as it ran: parsed, and perhaps replaced by a hook or an approver. */
  readonly input: unknown;
  readonly effects: readonly Effect[];
  readonly traits: Traits;
  readonly decision?: Decision;
  readonly approval?: ApprovalNote;
  /** Who replaced the input, when somebody did. */
  readonly rewrittenBy?: string;
  /** Set when the turn should end here, with the reason: the model goes round in circles. */
  readonly stop?: string;
  /** It was decided as a dry run: nothing of it could become real. */
  readonly dryRun?: true;
  /** When the tool began, or where it never did, when the call came. Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How long the tool ran; waiting for other calls and for people does not count. 0 when it never ran. */
  readonly durationMs: number;
}

const refusals: ReadonlySet<string> = new Set(refusalCodes);

/** A result in one word: a refusal by a rule, a person, a hook or for want of an answer is `denied`, not an error. */
export function statusOf(result: Result): CallStatus {
  const code = result.error?.code;
  if (code === undefined) return "ok";
  if (code === "cancelled") return "cancelled";
  return refusals.has(code) ? "denied" : "error";
}
