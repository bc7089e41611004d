/** The port to background work: programs that continue after the call that started them. */
import type { Bound } from "./bound.ts";

/** The options of a background job. It ends with the session at the latest. */
export interface JobRequest {
  /** A script for the shell, exactly as analysed and granted. */
  readonly command: string;
  readonly cwd: string;
  /** Variables to add to the environment that the host passes on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout in milliseconds for the whole process tree. */
  readonly timeoutMs?: number;
  /** The grant. It comes from the executor, never from a tool. */
  readonly bound?: Bound;
  /** Its purpose, in a few words for a person. */
  readonly description?: string;
  /** Keeps its stdin open for `write`. Default: stdin is empty, and reading ends at once. */
  readonly takesInput?: boolean;
  /** Gives it a terminal of its own: keys can be written to it, and its output holds what a terminal would show. */
  readonly hasTerminal?: boolean;
  /**
   * Runs it in a frozen copy of the workspace: it sees no later change of others, and its own changes are merged when it
   * has ended. Fails with `tool_unavailable` where there is no copy.
   */
  readonly inCopy?: boolean;
  /** The copy that it sees in place of the workspace. It comes from the executor, never from a tool. */
  readonly copy?: JobCopy;
}

/** A folder that a job sees at the path of another one. Absolute, real. */
export interface JobCopy {
  readonly folder: string;
  /** The folder in whose place it is seen. */
  readonly at: string;
  /** The rights for the mount: those of real root, or of a user namespace. */
  readonly as: "root" | "user";
}

/** A job at one moment. */
export interface JobState {
  /** Unique in its session: `j1`, `j2`. */
  readonly id: string;
  readonly command: string;
  readonly description?: string;
  readonly cwd: string;
  /** The process, which leads a group and session of its own. */
  readonly pid: number;
  readonly status: "running" | "ended";
  /** `null` while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Why Haft ended it: its timeout, or a request to stop it. */
  readonly endedBy?: "timeout" | "stop";
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Bytes and lines of output so far. */
  readonly bytes: number;
  readonly lines: number;
  /** The file with the first `fileBytes` bytes of its output, if one is kept. */
  readonly file?: string;
  readonly fileBytes: number;
  readonly takesInput: boolean;
  /** It has a terminal: its output may contain colours and cursor movements. */
  readonly hasTerminal: boolean;
  /** Its use of stdin is unknown: writing to it is like running a command. */
  readonly isOpaque: boolean;
  /**
   * The job is served: it sees the workspace read-only, except for these folders, and has only its own network. Absent:
   * it runs in the workspace itself.
   */
  readonly writable?: readonly string[];
  /** Addresses of a served job on this machine, such as `127.0.0.1:5173`. */
  readonly reachable?: readonly string[];
  /** It has ended, but a process that it started still runs in its group. */
  readonly left: boolean;
  /** The changes to files while it ran, in a sentence; "" for none. Absent: not checked. */
  readonly changes?: string;
}

/**
 * A part of a job's output: `new` since the last request for `new`, the `tail`, or lines by number (from 1; without
 * `first` the last ones).
 */
export type JobWindow =
  | { readonly part: "new"; readonly maxBytes: number }
  | { readonly part: "tail"; readonly maxBytes: number }
  | { readonly part: "lines"; readonly first?: number; readonly limit: number };

/** A window into a job's output. */
export interface JobOutput {
  readonly text: string;
  /** Bytes of the window in front of `text` that were left out. */
  readonly skipped: number;
  /** For `lines`: number of the first line in `text`. */
  readonly first?: number;
}

/** Background jobs of one session. An unknown id fails with `invalid_input` and the list of known ids. */
export interface Jobs {
  /** A job whose grant says `hold` is either served (see `JobState.writable`) or not started at all. */
  readonly servesHeld?: true;
  /** Runs jobs in a copy of the workspace (`JobRequest.copy`). Without it they are refused. */
  readonly takesCopies?: true;
  /** Starts a job; needs a granted `run`. Fails with `limit_reached` when too many are running. */
  start(request: JobRequest): Promise<JobState>;
  /** The state of a job, or `undefined`. May be called before the decision, and shows no output. */
  find(id: string): JobState | undefined;
  /** All jobs, the oldest first. */
  list(): readonly JobState[];
  /** Waits for the end of the job, at most `timeoutMs`. The signal ends the waiting, not the job. */
  wait(id: string, limit: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<JobState>;
  output(id: string, window: JobWindow): Promise<JobOutput>;
  /** Writes to the job's stdin. `waiting`: bytes that it has not read yet. `end` closes its stdin. */
  write(id: string, data: string, options?: { readonly end?: boolean }): Promise<{ readonly waiting: number }>;
  /** Ends the job and all processes that it started. Resolves when they have ended. */
  stop(id: string): Promise<JobState>;
  /** Stops the job if it runs, and deletes it and its output. */
  remove(id: string): Promise<void>;
}
