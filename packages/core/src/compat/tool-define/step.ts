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

/** One step of a run, as this shape displays it. */
export interface Step {
  readonly id: string;
  readonly type: StepType;
  readonly title: string;
  readonly description?: string;
  readonly status: "pending" | "running" | "completed" | "failed" | "awaiting-confirmation";
  readonly timestamp: number;
  readonly toolCallId?: string;
  readonly result?: string;
  readonly summary?: string;
  readonly error?: string;
}
