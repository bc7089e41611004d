import type { CallRef, RunOutcome, RunRequest, TextFile } from "../tool/index.ts";

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
}

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
  /** Runs a command whose changes nobody knows beforehand, and keeps what it changed, as far as that can be seen. */
  command(
    call: JournalCall,
    request: RunRequest,
    run: (request: RunRequest) => Promise<RunOutcome>,
  ): Promise<RunOutcome>;
}
