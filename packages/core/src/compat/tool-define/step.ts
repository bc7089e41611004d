/** The kind of a step, for faces. */
export type StepType =
  | "bash"
  | "bash-confirm"
  | "read"
  | "write"
  | "edit"
  | "glob"
  | "grep"
  | "skill"
  | "delegate"
  | "tool_call";

/** A call as the model made it. */
export interface ToolCall {
  readonly id: string;
  readonly toolName: string;
  readonly arguments: unknown;
}

/** One step of a run, as this shape displays it. */
export interface Step {
  readonly id: string;
  readonly type: StepType;
  readonly title: string;
  readonly description?: string;
  readonly status: "pending" | "running" | "completed" | "failed" | "awaiting-confirmation";
  readonly timestamp: number;
  readonly turnIndex?: number;
  readonly toolCallId?: string;
  readonly toolCall?: ToolCall;
  readonly thinking?: string;
  readonly result?: string;
  readonly summary?: string;
  readonly error?: string;
  readonly toolAgentResult?: Pick<ToolAgentResult, "success" | "summary" | "toolCallCount"> &
    Partial<Pick<ToolAgentResult, "filesModified" | "errors">>;
}

/** A task for an agent of its own. */
export interface DelegationRequest {
  readonly task: string;
  /** The background that the agent needs. */
  readonly context: string;
  /** The criterion by which the agent knows that it is done. */
  readonly expectedOutcome: string;
  readonly sessionId: string;
  readonly messageId: string;
}

/** The result of a delegation. */
export interface ToolAgentResult {
  /** The agent answered within its limits, and not all of its calls failed. */
  readonly success: boolean;
  /** Its last message. */
  readonly summary: string;
  /** Its steps as a log. */
  readonly details: string;
  /** Real paths, sorted. */
  readonly filesModified: readonly string[];
  readonly errors: readonly string[];
  readonly toolCallCount: number;
  readonly executionTimeMs: number;
  /** Sources of foreign content that it has read. */
  readonly sources?: readonly string[];
}

/** One call of an agent, with its thoughts before it (`thinking`) and its words afterwards (`summary`). */
export interface ToolAgentStep {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly status: "success" | "failed";
  readonly timestamp: number;
  readonly error?: string;
  readonly thinking?: string;
  readonly summary?: string;
}
