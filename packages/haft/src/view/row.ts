import type { Answer, Remembered } from "@haft/core/approval";
import type { AgentRef, Display, Effect } from "@haft/core/tool";

/** One entry of a session, oldest first. Plain data, so that it can cross a process. */
export type Row = PromptRow | TextRow | CallRow | NoticeRow | CompactedRow;

interface OfRow {
  /** Unique in the session, and the same when the session is resumed. */
  readonly id: string;
}

/** Words of a person, or a message that was sent in their place. */
export interface PromptRow extends OfRow {
  readonly kind: "prompt";
  readonly text: string;
  readonly by?: string;
}

/** Words of the model. `isOpen`: more may come. */
export interface TextRow extends OfRow {
  readonly kind: "text" | "reasoning";
  readonly text: string;
  readonly isOpen: boolean;
}

/** A message that concerns the session and no call. */
export interface NoticeRow extends OfRow {
  readonly kind: "notice";
  readonly severity: "notice" | "warning" | "error";
  readonly source?: string;
  readonly text: string;
  readonly cure?: string;
}

/** The conversation before this row was replaced by a summary. */
export interface CompactedRow extends OfRow {
  readonly kind: "compacted";
  readonly summary: string;
}

/**
 * `writing`: the model still writes the arguments. `waiting`: for other calls. `asking`: for a person. The last four are
 * final.
 */
export type CallStatus = "writing" | "waiting" | "asking" | "running" | "ok" | "error" | "denied" | "cancelled";

/** The latest output of a running call. */
export interface LiveOutput {
  /** The last part of it, at most `OUTPUT_CHARS`. */
  readonly tail: string;
  readonly bytes: number;
  readonly lines: number;
}

/** An answer to a question about a call. */
export interface AnswerView {
  readonly requestId: string;
  readonly behavior: Answer["behavior"];
  readonly by: string;
  readonly message?: string;
  /** The answer changed the input of the call. */
  readonly isChange?: true;
  /** The rules that "always" has saved. */
  readonly kept?: Remembered;
}

/** A call of a tool, from its first written argument to its result. */
export interface CallRow extends OfRow {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  readonly agent: AgentRef;
  readonly status: CallStatus;
  /** The call in the words of its tool; live while it runs. */
  readonly title: string;
  /** The present activity: "Reading src/a.ts". */
  readonly activity?: string;
  /** The arguments as far as the model has written them. */
  readonly written?: string;
  readonly input?: unknown;
  readonly effects: readonly Effect[];
  readonly isRead: boolean;
  readonly isSearch: boolean;
  /** The reason of the decision, where a rule or a refusal made it. */
  readonly reason?: string;
  readonly answers: readonly AnswerView[];
  readonly output?: LiveOutput;
  /** The live display while it runs, the result's display afterwards. */
  readonly display?: Display;
  readonly summary?: string;
  /** Once it has ended: the call in the words of its tool for its input, where `title` may be live. */
  readonly label?: string;
  /** It has changed nothing: its changes are held. */
  readonly isDryRun?: true;
  /** The rule that allowed it, as `allow Edit(/src/**)`. */
  readonly rule?: string;
  /** The person or hook that allowed it. */
  readonly approvedBy?: string;
  /** The error of a failed or refused call, for people. */
  readonly error?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** The calls of the agents that this call started, oldest first. */
  readonly children: readonly CallRow[];
}

/** Most characters of live output that a view keeps for one call. */
export const OUTPUT_CHARS = 16_384;

const FINAL: ReadonlySet<CallStatus> = new Set(["ok", "error", "denied", "cancelled"]);

/** Whether a call has ended. */
export const isEnded = ({ status }: Pick<CallRow, "status">): boolean => FINAL.has(status);
