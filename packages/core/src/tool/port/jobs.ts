/** The port to background work: programs that go on after the call that started them. */
import type { Bound } from "./bound.ts";

/** What a background job is to run. It ends with the session at the latest. */
export interface JobRequest {
  /** A script for the shell, exactly as analysed and granted. */
  readonly command: string;
  readonly cwd: string;
  /** Added to the environment that the host passes on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds until the whole tree is ended. */
  readonly timeoutMs?: number;
  /** The grant. It comes from the executor, never from a tool. */
  readonly bound?: Bound;
  /** What it does, in a few words for a person. */
  readonly description?: string;
  /** Keeps its input open for `write`. Default: it has none, and reading ends at once. */
  readonly takesInput?: boolean;
  /** Gives it a terminal of its own: keys can be written to it, and its output holds what a terminal would show. */
  readonly hasTerminal?: boolean;
}

/** A job at one moment. */
export interface JobState {
  /** Unique in its session: `j1`, `j2`. */
  readonly id: string;
  readonly command: string;
  readonly description?: string;
  readonly cwd: string;
  /** The process, leader of a group and session of its own. */
  readonly pid: number;
  readonly status: "running" | "ended";
  /** `null` while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Why Haft ended it: its time was over, or somebody asked for it. */
  readonly endedBy?: "timeout" | "stop";
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Bytes and lines of output so far. */
  readonly bytes: number;
  readonly lines: number;
  /** The file with its output, where one is kept; the first `fileBytes` bytes of it. */
  readonly file?: string;
  readonly fileBytes: number;
  readonly takesInput: boolean;
  /** It has a terminal: its output may hold colours and movements of a cursor. */
  readonly hasTerminal: boolean;
  /** What it does with its input is not known: telling it something is like running it. */
  readonly isOpaque: boolean;
  /**
   * It is served: it finds the workspace read-only, but for these folders, and has no network but its own. Absent: it
   * runs in the workspace itself.
   */
  readonly writable?: readonly string[];
  /** Addresses at which a served job can be reached on this machine, as `127.0.0.1:5173`. */
  readonly reachable?: readonly string[];
  /** It has ended, but something that it started still runs in its group. */
  readonly left: boolean;
  /** What changed in files while it ran, in a sentence; "" for nothing. Absent: it was not looked for. */
  readonly changes?: string;
}

/**
 * Which part of a job's output: `new` since the last time `new` was asked for, the `tail`, or lines by number (from 1;
 * without `first` the last ones).
 */
export type JobWindow =
  | { readonly part: "new"; readonly maxBytes: number }
  | { readonly part: "tail"; readonly maxBytes: number }
  | { readonly part: "lines"; readonly first?: number; readonly limit: number };

/** A window into a job's output. */
export interface JobOutput {
  readonly text: string;
  /** Bytes in front of `text` that belong to the window and are not in it. */
  readonly skipped: number;
  /** For `lines`: number of the first line in `text`. */
  readonly first?: number;
}

/** Background jobs of one session. An unknown id fails with `invalid_input` and the ids that there are. */
export interface Jobs {
  /** A job whose grant says `hold` is served, see `JobState.writable`, or not started at all. */
  readonly servesHeld?: true;
  /** Starts a job; needs a granted `run`. Fails with `limit_reached` when too many are running. */
  start(request: JobRequest): Promise<JobState>;
  /** What is known of a job, or `undefined`. May be asked before anything is decided, and shows no output. */
  find(id: string): JobState | undefined;
  /** All jobs, the oldest first. */
  list(): readonly JobState[];
  /** Waits until the job has ended, at most `timeoutMs`. The signal ends the waiting, not the job. */
  wait(id: string, limit: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<JobState>;
  output(id: string, window: JobWindow): Promise<JobOutput>;
  /** Gives the job input. `waiting`: bytes that it has not read yet. `end` closes its input. */
  write(id: string, data: string, options?: { readonly end?: boolean }): Promise<{ readonly waiting: number }>;
  /** Ends the job and all that it started. Resolves when they are gone. */
  stop(id: string): Promise<JobState>;
  /** Stops the job if it runs, and forgets it and its output. */
  remove(id: string): Promise<void>;
}
