import type { PolicyTool } from "../policy/index.ts";
import type { AgentRef, Effect, Result, SessionRef } from "../tool/index.ts";

/** What a hook sees of a call. `input` carries the observable fields (absolute paths) beside the model's own. */
export interface HookEvent {
  readonly callId: string;
  readonly tool: string;
  /** The tool as rules know it: its names, its origin, its server. */
  readonly identity: PolicyTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  /** The tool's own word on whether `Tool(specifier)` means this call, where it has one. */
  matches?(specifier: string): boolean;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  /** The permission mode in force. */
  readonly mode: string;
  readonly signal: AbortSignal;
}

/** A call that ran, well or not. Calls that were denied or cancelled have no such event. */
export interface AfterEvent extends HookEvent {
  readonly result: Result;
  /** Milliseconds that the tool itself took. */
  readonly durationMs: number;
}

/** All calls of one message of the model, each with its result. */
export interface BatchEvent {
  readonly calls: readonly (Pick<HookEvent, "callId" | "tool" | "input"> & { readonly result: Result })[];
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  readonly mode: string;
  readonly signal: AbortSignal;
}

/** What a hook before a call may say. Saying nothing lets the call go on. */
export interface BeforeOutcome {
  readonly decision?: "allow" | "ask" | "deny" | "defer";
  /** For the model with `deny`, for the person with `ask`. */
  readonly reason?: string;
  /** Replaces the whole input; the call is parsed and decided anew. */
  readonly input?: unknown;
  /** Words that are added to the result for the model. */
  readonly context?: string;
  /** Ends the turn with this reason: the call does not run, nor do those of its batch that have not started. */
  readonly stop?: string;
  /** Who decided, where one hook speaks for several. Default: the hook's name. */
  readonly by?: string;
}

/** What a hook after a call may say. */
export interface AfterOutcome {
  /** Replaces the output; ignored with a notice when it does not fit the tool's output schema. */
  readonly output?: unknown;
  readonly context?: string;
  /** Ends the turn with this reason. What ran stays as it is. */
  readonly stop?: string;
}

/** What a hook after all calls of a message may say: words behind the last result, or the end of the turn. */
export type BatchOutcome = Omit<AfterOutcome, "output">;

/** A hook as a function of the host's own program. It is trusted code; it narrows, it never widens. */
export interface Hook {
  readonly name: string;
  /**
   * How long one answer may take. Default: 60 seconds; `Infinity` for a hook that has a limit of its own. Without an answer in that
   * time a call is denied; after a call the hook is left out.
   */
  readonly timeoutMs?: number;
  /** Which tools `before` and `after` are for. Absent: all. */
  matches?(event: HookEvent): boolean;
  before?(event: HookEvent): BeforeOutcome | undefined | Promise<BeforeOutcome | undefined>;
  after?(event: AfterEvent): AfterOutcome | undefined | Promise<AfterOutcome | undefined>;
  /** Once for each message with calls, when all of them have their results. */
  batchEnd?(event: BatchEvent): BatchOutcome | undefined | Promise<BatchOutcome | undefined>;
}
