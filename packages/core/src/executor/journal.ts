import type { CapturedFact } from "../policy/index.ts";
import type {
  Bound,
  CallRef,
  Change,
  Display,
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

/** What is about to be written to a file. */
export interface FileChange {
  /** Real location. */
  readonly path: string;
  /** Absent: the file is about to be removed. */
  readonly data?: string | Uint8Array;
  /** The encoding that a text will take. */
  readonly like?: Pick<TextFile, "encoding" | "bom">;
  /** With a file that is removed: folders above it that go with it where they are empty then. */
  readonly folders?: readonly string[];
}

/** One path that a command has changed in its view. */
export interface HeldChange extends CapturedFact {
  /** Absolute, real. */
  readonly path: string;
  readonly change: Change;
}

/** What a command has changed in its view, none of it real yet. */
export interface Manifest {
  /** The name under which it is held, should it be. */
  readonly id: string;
  /** Over every path with type, content, mode and target: what is approved is what is applied. */
  readonly digest: string;
  readonly changes: readonly HeldChange[];
  /** As diffs, for people. */
  show(): Promise<Display>;
}

/** What becomes of a manifest. `hold`: it stays aside, to be applied or thrown away later. */
export type Verdict =
  | { readonly do: "commit" }
  | {
      readonly do: "hold" | "discard";
      readonly why: string;
      /** The error that the command ends with, where it was to become real. */
      readonly error?: ToolError;
    };

/** Decides about what a command has changed. It may take as long as people do. */
export type Review = (manifest: Manifest) => Promise<Verdict>;

/**
 * Keeps what calls change, so that it can be undone. The ports tell it of every change before they make it, and let it
 * carry the change out.
 */
export interface Journal {
  /**
   * Keeps what the path holds now, then lets `act` write. Ends as `act` does; rejects without acting when the old state
   * cannot be kept although it should.
   */
  change<T>(call: JournalCall, change: FileChange, act: () => Promise<T>): Promise<T>;
  /**
   * Lets `act` make several changes of one call that belong together: when the process is killed before it ends, what was
   * made of them is taken back as soon as the journal is opened again.
   */
  together?<T>(call: JournalCall, act: () => Promise<T>): Promise<T>;
  /**
   * Runs a command whose changes nobody knows beforehand, and keeps what it changed, as far as that can be seen. With
   * `review` nothing of it becomes real before that has said so; where this cannot be had, the command does not run and
   * this rejects with `sandbox_unavailable`.
   */
  command(
    call: JournalCall,
    request: RunRequest,
    run: (request: RunRequest) => Promise<RunOutcome>,
    review?: Review,
  ): Promise<RunOutcome>;
  /** Looks for what changes while background jobs run. Without it nothing of that is kept. */
  readonly jobs?: JobJournal;
}

/** Keeps what changes in files while background jobs run: during them, for who did it cannot be seen. */
export interface JobJournal {
  /** Lets `launch` start a job, after keeping what will be needed. */
  start(call: JournalCall, bound: Bound, launch: () => Promise<JobState>): Promise<JobState>;
  /** What changed so far while that job ran, in a sentence; "" for nothing, `undefined` when it was not looked for. */
  changesDuring(id: string): Promise<string | undefined>;
}
