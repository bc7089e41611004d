import type { PolicyTool } from "../policy/index.ts";
import type { AgentRef, Effect, Result, SessionRef } from "../tool/index.ts";

/** The event that a hook gets for a call. `input` has the observable fields (absolute paths) as well as the model's own. */
export interface HookEvent {
  readonly callId: string;
  readonly tool: string;
  /** The tool as rules see it: its names, its origin, its server. */
  readonly identity: PolicyTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  /** The tool's own answer whether `Tool(specifier)` covers this call, if it has one. */
  matches?(specifier: string): boolean;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  /** The permission mode in force. */
  readonly mode: string;
  readonly signal: AbortSignal;
}

/** A call that ran, successfully or not. Denied and cancelled calls do not have this event. */
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

/** The answer of a hook before a call. No answer lets the call go on. */
export interface BeforeOutcome {
  readonly decision?: "allow" | "ask" | "deny" | "defer";
  /** For the model with `deny`, for the person with `ask`. */
  readonly reason?: string;
  /** Replaces the whole input; the call is parsed and decided again. */
  readonly input?: unknown;
  /** Text that is added to the result for the model. */
  readonly context?: string;
  /** Ends the turn with this reason: neither the call nor the calls of its batch that have not started will run. */
  readonly stop?: string;
  /** The name of the decider, if one hook speaks for several. Default: the hook's name. */
  readonly by?: string;
}

/** The answer of a hook after a call. */
export interface AfterOutcome {
  /** Replaces the output; ignored with a notice if it does not fit the tool's output schema. */
  readonly output?: unknown;
  readonly context?: string;
  /** Ends the turn with this reason. Changes of the call stay. */
  readonly stop?: string;
}

/** The answer of a hook after all calls of a message: text after the last result, or the end of the turn. */
export type BatchOutcome = Omit<AfterOutcome, "output">;

/** A hook as a function of the host's own program. It is trusted code; it can narrow permissions, never widen them. */
export interface Hook {
  readonly name: string;
  /**
   * Timeout of one answer in milliseconds. Default: 60 seconds; `Infinity` for a hook that has a limit of its own. At
   * the timeout a call is denied; after a call the hook is ignored.
   */
  readonly timeoutMs?: number;
  /** The tools that `before` and `after` apply to. Absent: all. */
  matches?(event: HookEvent): boolean;
  before?(event: HookEvent): BeforeOutcome | undefined | Promise<BeforeOutcome | undefined>;
  after?(event: AfterEvent): AfterOutcome | undefined | Promise<AfterOutcome | undefined>;
  /** Called once for each message with calls, when all of them have their results. */
  batchEnd?(event: BatchEvent): BatchOutcome | undefined | Promise<BatchOutcome | undefined>;
}
