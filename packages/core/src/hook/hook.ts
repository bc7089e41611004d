import type { AgentRef, Effect, Result, SessionRef } from "../tool/index.ts";

/** What a hook sees of a call. `input` carries the observable fields (absolute paths) beside the model's own. */
export interface HookEvent {
  readonly callId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
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
}

/** What a hook after a call may say. */
export interface AfterOutcome {
  /** Replaces the output; ignored with a notice when it does not fit the tool's output schema. */
  readonly output?: unknown;
  readonly context?: string;
}

/** A hook as a function of the host's own program. It is trusted code; it narrows, it never widens. */
export interface Hook {
  readonly name: string;
  /** Which tools it is for. Absent: all. */
  matches?(event: HookEvent): boolean;
  before?(event: HookEvent): BeforeOutcome | undefined | Promise<BeforeOutcome | undefined>;
  after?(event: HookEvent & { readonly result: Result }): AfterOutcome | undefined | Promise<AfterOutcome | undefined>;
}
