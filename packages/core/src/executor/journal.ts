import type { CapturedFact } from "../policy/index.ts";
import type {
  Bound,
  CallRef,
  Change,
  Display,
  JobCopy,
  JobState,
  RunOutcome,
  RunRequest,
  TextFile,
  ToolError,
} from "../tool/index.ts";

/** The call that a change belongs to. */
export interface JournalCall extends Pick<CallRef, "id" | "tool" | "turn"> {
  readonly session: string;
}

/** A change to a file that is about to happen. */
export interface FileChange {
  /** The real path. */
  readonly path: string;
  /** Absent: the file is about to be removed. */
  readonly data?: string | Uint8Array;
  /** The encoding of the text on disk. */
  readonly like?: Pick<TextFile, "encoding" | "bom">;
  /** For a removed file: folders above it to remove too if they are then empty. */
  readonly folders?: readonly string[];
}

/** One path that a command has changed in its view. */
export interface HeldChange extends CapturedFact {
  /** Absolute, real. */
  readonly path: string;
  readonly change: Change;
}

/** The changes of a command in its view, none of them real yet. */
export interface Manifest {
  /** The name of the changes if they are held back. */
  readonly id: string;
  /** Covers every path with type, content, mode and target, so that exactly what was approved is applied. */
  readonly digest: string;
  readonly changes: readonly HeldChange[];
  /** The changes as diffs, for people. */
  show(): Promise<Display>;
}

/** The decision about a manifest. `hold`: it is held, to be applied or discarded later. */
export type Verdict =
  | { readonly do: "commit" }
  | {
      readonly do: "hold" | "discard";
      readonly why: string;
      /** The error of the command, if its changes were meant to become real. */
      readonly error?: ToolError;
    };

/** Decides about a command's changes. It may take as long as people need. */
export type Review = (manifest: Manifest) => Promise<Verdict>;

/**
 * Records the changes of calls, so that they can be undone. The ports announce every change before they make it, and
 * let the journal carry it out.
 */
export interface Journal {
  /**
   * Saves the current state of the path, then lets `act` write. Settles as `act` does. Rejects without acting if the
   * old state should be saved but cannot be.
   */
  change<T>(call: JournalCall, change: FileChange, act: () => Promise<T>): Promise<T>;
  /**
   * Lets `act` make several changes of one call that belong together. If the process is killed midway, the journal
   * rolls them back the next time it is opened.
   */
  together?<T>(call: JournalCall, act: () => Promise<T>): Promise<T>;
  /**
   * Runs a command with unknown changes, and records them as far as they are visible. With `review` no change becomes
   * real before the review approves it. If that is impossible, the command does not run and this rejects with
   * `sandbox_unavailable`.
   */
  command(
    call: JournalCall,
    request: RunRequest,
    run: (request: RunRequest) => Promise<RunOutcome>,
    review?: Review,
  ): Promise<RunOutcome>;
  /** Records changes during background jobs. Without it they are not recorded. */
  readonly jobs?: JobJournal;
}

/** Records file changes during background jobs. It cannot see which job made a change, only when. */
export interface JobJournal {
  /**
   * Lets `launch` start a job, after saving what will be needed. `inCopy`: it gets a frozen copy of the workspace, which
   * is merged when the job has ended.
   *
   * @throws HaftError `tool_unavailable` if there is no copy here.
   */
  start(
    call: JournalCall,
    bound: Bound,
    launch: (copy?: JobCopy) => Promise<JobState>,
    options?: { readonly inCopy?: boolean },
  ): Promise<JobState>;
  /** The changes so far while that job ran, in a sentence; "" if there are none, `undefined` if nobody looked. */
  changesDuring(id: string): Promise<string | undefined>;
}
