/** The port to schedules: prompts that run at given times, with the rights that a person approved. */

/** A schedule to make. */
export interface ScheduleDraft {
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly expression: string;
  /** An IANA time zone. Default: that of the machine. */
  readonly zone?: string;
  readonly prompt: string;
  readonly name?: string;
  /** Minutes until an unanswered question of a firing counts as a no. Default 10. */
  readonly deadlineMinutes?: number;
}

/** The result of a rehearsal in which nothing became real. */
export interface Rehearsal {
  /** Rules that cover what the calls asked for: the grant. */
  readonly grant: readonly string[];
  /** Calls that no rule can cover; they ask at each firing. */
  readonly ungranted: readonly string[];
  /** Why there was no rehearsal. */
  readonly skipped?: string;
}

/** The status of a firing. `needs_you`: a question stayed open. `killed`: its process died. */
export type FiringStatus = "running" | "completed" | "failed" | "needs_you" | "killed" | "missed";

/** One firing of a schedule, or several that were missed. */
export interface Firing {
  readonly id: string;
  /** The planned time, ISO 8601. */
  readonly at: string;
  readonly status: FiringStatus;
  readonly text?: string;
  readonly session?: string;
  /** Questions without an answer. */
  readonly open?: readonly string[];
  /** Number of firings for which nobody was there. */
  readonly missed?: number;
}

/** A schedule with its last firing. */
export interface Schedule extends ScheduleDraft {
  readonly id: string;
  readonly folder: string;
  readonly mode: string;
  readonly grant: readonly string[];
  readonly enabled: boolean;
  /** The next planned time, ISO 8601; absent if there is none. */
  readonly next?: string;
  readonly last?: Firing;
}

/** The schedules of this folder. Unknown ids fail with `invalid_input`. */
export interface Schedules {
  /** The error in an expression or time zone, in a sentence. */
  problem(draft: Pick<ScheduleDraft, "expression" | "zone">): string | undefined;
  /** Runs the prompt with nothing becoming real. The same draft is rehearsed once. */
  rehearse(draft: ScheduleDraft): Promise<Rehearsal>;
  /** Adds it with the grant of its rehearsal. The call was approved by then. */
  add(draft: ScheduleDraft): Promise<Schedule>;
  list(): Promise<readonly Schedule[]>;
  get(id: string): Promise<Schedule>;
  firings(id: string, limit: number): Promise<readonly Firing[]>;
  setEnabled(id: string, enabled: boolean): Promise<Schedule>;
  remove(id: string): Promise<Schedule>;
  /** Plans a firing for now. A host of schedules runs it. */
  runSoon(id: string): Promise<Schedule>;
}
