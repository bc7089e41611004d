/** The port to the shared list of tasks: what is to be done, by whom, and what has to be done first. */

/** How far a task is. */
export type TaskStatus = "pending" | "in_progress" | "completed";

/** One task of the list. */
export interface Task {
  /** `1`, `2`: the order in which they were made. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** The same while it is being done: "Running the tests". */
  readonly activeForm?: string;
  readonly status: TaskStatus;
  /** The agent that does it. */
  readonly owner?: string;
  /** Tasks that wait for this one. */
  readonly blocks: readonly string[];
  /** Tasks that have to be completed first. */
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A task that is to be made. */
export type TaskDraft = Pick<Task, "subject" | "description" | "activeForm" | "metadata">;

/** What is to be different about a task. What is not named stays, whoever changes it meanwhile. */
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
  /** Fails with `invalid_input` and the ids that there are. */
  get(id: string): Promise<Task>;
  list(): Promise<readonly Task[]>;
  /**
   * Changes a task and gives it as it is then; `undefined`: it is deleted. Fails with `validation_failed` for a circle of
   * dependencies or a blocked task that is to be started, and with `conflict` where another agent owns it. `by` is the
   * agent that changes it; it comes from the executor, never from a tool.
   */
  update(id: string, change: TaskChange, by?: string): Promise<Task | undefined>;
}
