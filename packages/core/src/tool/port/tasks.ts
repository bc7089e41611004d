/** The port to the shared task list: what to do, by whom, and in which order. */

/** The progress of a task. */
export type TaskStatus = "pending" | "in_progress" | "completed";

/** One task of the list. */
export interface Task {
  /** `1`, `2`: in the order of creation. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** The text while it is in progress: "Running the tests". */
  readonly activeForm?: string;
  readonly status: TaskStatus;
  /** The agent that works on it. */
  readonly owner?: string;
  /** Tasks that wait for this one. */
  readonly blocks: readonly string[];
  /** Tasks that have to be completed first. */
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A task to create. */
export type TaskDraft = Pick<Task, "subject" | "description" | "activeForm" | "metadata">;

/** Changes to a task. Fields that are not named stay, even if somebody else changes them meanwhile. */
export interface TaskChange extends Partial<TaskDraft> {
  readonly status?: TaskStatus | "deleted";
  /** An empty text: nobody. */
  readonly owner?: string;
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
}

/** The tasks of a session or of a team, shared by its agents. */
export interface Tasks {
  create(draft: TaskDraft): Promise<Task>;
  /** Fails with `invalid_input` and the list of known ids. */
  get(id: string): Promise<Task>;
  list(): Promise<readonly Task[]>;
  /**
   * Changes a task and returns it afterwards; `undefined`: it was deleted. Fails with `validation_failed` for a cycle
   * of dependencies or for starting a blocked task, and with `conflict` if another agent owns it. `by` is the agent
   * that changes it; it comes from the executor, never from a tool.
   */
  update(id: string, change: TaskChange, by?: string): Promise<Task | undefined>;
}
