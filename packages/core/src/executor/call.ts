import type { Decision } from "../policy/index.ts";
import { refusalCodes } from "../tool/error.ts";
import type { AgentRef, Caller, CallRef, Effect, FileContents, Result, Traits } from "../tool/index.ts";

/** One request by a model (or a host) to run a tool. */
export interface CallRequest {
  /** Unique in the session. */
  readonly id: string;
  readonly tool: string;
  /** The parsed arguments; or with `json` the text that the model wrote. */
  readonly input?: unknown;
  readonly json?: string;
  /**
   * The person who has already approved exactly this call, if the host itself asks people (an SDK's own approval
   * parts). Counts once, for an ask; a denial stays a denial. Set by the host's program, never from text of a model or
   * a client.
   */
  readonly approved?: string;
  /** With `approved`: whether the approval covers the current contents of the command's files, see `Explanation.contents`. */
  readonly approvedFor?: (contents: FileContents | undefined) => boolean;
  /** With `approved`: called right before the tool starts. The approval must not count for another call from then on. */
  readonly onApprovalUsed?: () => void;
  /** The requester, if it can be asked back. Nested calls have the same caller. */
  readonly caller?: Caller;
  /**
   * A program makes the call, and not a model: tools that a model must load first can be called, and repetition is no loop.
   * Set by the host's program.
   */
  readonly isProgram?: true;
}

/** How a call ended, in one word. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled";

/** The approver, and how long the approval counts. */
export interface ApprovalNote {
  readonly by: string;
  readonly scope: string;
}

/** Everything known about a call that has ended. */
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
  /** The hook or approver that replaced the input, if any. */
  readonly rewrittenBy?: string;
  /** The reason to end the turn here: the model repeats itself. */
  readonly stop?: string;
  /** It was decided as a dry run: none of its changes could become real. */
  readonly dryRun?: true;
  /** The start of the tool, or the arrival of a call whose tool never started. Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The run time of the tool; waiting for other calls and for people does not count. 0 if it never ran. */
  readonly durationMs: number;
}

const refusals: ReadonlySet<string> = new Set(refusalCodes);

/** A result in one word. A refusal by a rule, a person or a hook, or a missing answer, is `denied` and not an error. */
export function statusOf(result: Result): CallStatus {
  const code = result.error?.code;
  if (code === undefined) return "ok";
  if (code === "cancelled") return "cancelled";
  return refusals.has(code) ? "denied" : "error";
}
