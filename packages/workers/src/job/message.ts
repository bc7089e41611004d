import type { DispatchedResult } from "@haft/core/executor";
import type { Answered, Progress, Question, ToolError } from "@haft/core/tool";

/** Messages of a worker that runs a call, always signed. */
export type Reply =
  | { readonly t: "progress"; readonly job: string; readonly progress: Progress }
  | {
      readonly t: "ask";
      readonly job: string;
      readonly worker: string;
      readonly ask: string;
      readonly question: Question;
    }
  | Ended;

/** The end of an attempt. It is stored, so that it outlives the host. */
export interface Ended {
  readonly t: "ended";
  readonly job: string;
  /** Absent when the worker refused the job: nothing has started. */
  readonly result?: DispatchedResult;
  /** The place of the result, if it is too large for Redis. */
  readonly stored?: StoredRef;
  readonly refused?: ToolError;
}

/** A result in the store, and how to check it. */
export interface StoredRef {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Messages of a host about a call that it sent, always signed. */
export type Order =
  | { readonly t: "cancel"; readonly job: string }
  | {
      readonly t: "answer";
      readonly job: string;
      readonly ask: string;
      readonly answered?: Answered;
      readonly error?: ToolError;
    }
  | { readonly t: "drain" };
