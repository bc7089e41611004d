import type { ApprovalRequest, Outcome } from "../approval/index.ts";
import type { Journal } from "../executor/index.ts";

/** A value now or later: a store may be in this process or across a network. */
export type Awaitable<T> = T | Promise<T>;

/** A question as a store keeps it: plain data. */
export interface StoredApproval {
  readonly id: string;
  readonly session: string;
  /** Starts at 1 and increases by 1 with each change. */
  readonly revision: number;
  readonly request: ApprovalRequest;
  /** A digest of everything shown. An answer counts only for the question with this digest. */
  readonly digest: string;
  /** ISO 8601. */
  readonly askedAt: string;
  /** `answered`: the answer has not been used yet. `ended`: the row is only a memory. */
  readonly state: "open" | "answered" | "ended";
  readonly answer?: { readonly answer: unknown; readonly by: string };
  readonly outcome?: Outcome;
}

/**
 * Stores questions, so that they outlast the process and others can answer them. Haft compares revisions: a store that
 * returns old rows makes a call fail, and never lets an answer count twice.
 */
export interface ApprovalTable {
  /** The rows of a session that have not ended, in the order in which they were asked. */
  list(session: string): Awaitable<readonly StoredApproval[]>;
  /**
   * Stores a row over the one with the previous revision; a row with revision 1 only if there is none with its id. Returns
   * `false` and stores nothing otherwise. The comparison and the change are one step.
   */
  put(row: StoredApproval): Awaitable<boolean>;
  /** Calls `changed` after changes by others, until the returned function is called. Without it Haft polls. */
  watch?(session: string, changed: () => void): () => void;
}

/** An entry of a session's record. `t` is its type, `at` its time in ISO 8601. */
export interface RecordEntry {
  readonly t: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

/** Stores the records of sessions: what was called, asked and answered. */
export interface RecordStore {
  /** All entries of a session, in order. */
  read(session: string): Awaitable<readonly RecordEntry[]>;
  /**
   * Adds entries after the first `after` ones, all or none. Returns `false` and stores nothing if the session has more or
   * fewer: then another process has opened it.
   */
  append(session: string, after: number, entries: readonly RecordEntry[]): Awaitable<boolean>;
}

/** Stores results that are too long for the model. Tools read them back as files. */
export interface SpillStore {
  write(session: string, name: string, data: Uint8Array): Awaitable<void>;
  /** `undefined` if there is none of this name. */
  read(session: string, name: string): Awaitable<Uint8Array | undefined>;
}

/** A state of a path, before or after a change. */
export type FileState =
  | { readonly type: "none" }
  | { readonly type: "file"; readonly hash: string; readonly size: number }
  | { readonly type: "folder" | "pipe"; readonly mode: number }
  | { readonly type: "link"; readonly target: string }
  /** A whole folder; `print` changes with anything inside. */
  | { readonly type: "tree"; readonly print: string; readonly entries: number }
  | { readonly type: "other"; readonly what: "socket" | "device" }
  /** It had content that could not be kept. */
  | { readonly type: "lost"; readonly why: string };

/** The result of an undo or redo. */
export interface UndoResult {
  readonly kind: "undo" | "redo";
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly session: string }[];
  readonly changed: readonly { readonly path: string; readonly before: FileState; readonly after: FileState }[];
  /** Paths left alone because others had changed them. */
  readonly kept: readonly { readonly path: string; readonly call: string; readonly why: string }[];
  /** Changes that could not be undone. */
  readonly losses: readonly { readonly path: string; readonly why: string }[];
}

/** A journal of one's own: records changes of calls, and undoes them. */
export interface UndoJournal extends Journal {
  /**
   * Undoes the changes of a call, or of the last call that changed files.
   *
   * @throws HaftError `conflict` when others have changed a path since; nothing is changed then.
   */
  undo(scope?: { readonly call?: string; readonly session?: string }): Promise<UndoResult>;
  /** Redoes an undone call, or the last one. */
  redo(scope?: { readonly call?: string; readonly session?: string }): Promise<UndoResult>;
}
