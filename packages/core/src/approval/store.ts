import type { Receipt } from "./answer.ts";
import type { Outcome } from "./outcome.ts";
import type { ApprovalRequest } from "./request.ts";

/** An answer from another process. Its shape is not checked yet. */
export interface Given {
  readonly answer: unknown;
  readonly by: string;
}

/** Stores questions beyond the life of this process, so that other processes can answer them. */
export interface ApprovalStore {
  /**
   * Stores a question. Nobody is asked before it returns, or if it throws. An equal question that an earlier process
   * left open is reused under its old id, with the answer that it may have got meanwhile.
   */
  open(request: ApprovalRequest): Opened | Promise<Opened>;
  /** Passes on answers from elsewhere to an open question, until it is settled. */
  listen(requestId: string, hear: (given: Given) => Receipt): void;
  /**
   * Records its end. An unattended question stays open for a later answer. With `until`, a yes stays usable until `useUp`,
   * also for a later process. If it returns a promise, the call waits for it, and an approval whose end could not be
   * recorded does not count.
   */
  settle(requestId: string, outcome: Outcome, until?: "start"): void | Promise<void>;
  /**
   * Ends a question whose yes was stored `until` the start of its call. If this fails, or the promise rejects, the call does
   * not start.
   */
  useUp(requestId: string): void | Promise<void>;
}

/** A stored question: its id, and the answer that it got while no process waited. */
export interface Opened {
  readonly id: string;
  readonly given?: Given;
}
