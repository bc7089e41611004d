import type { Receipt } from "./answer.ts";
import type { Outcome } from "./outcome.ts";
import type { ApprovalRequest } from "./request.ts";

/** An answer that came from another process. Nothing of its shape is known yet. */
export interface Given {
  readonly answer: unknown;
  readonly by: string;
}

/** Keeps questions where they outlast this process and where other processes can answer them. */
export interface ApprovalStore {
  /**
   * Writes a question down; nobody is asked before it has returned, and when it throws nobody is. An equal question that
   * an earlier process has left open is taken up under its old id, with the answer that it may have got meanwhile.
   */
  open(request: ApprovalRequest): { readonly id: string; readonly given?: Given };
  /** Hears answers from elsewhere to an open question, until it is settled. */
  listen(requestId: string, hear: (given: Given) => Receipt): void;
  /** Notes how it ended. One that nobody attended stays open for who comes later. */
  settle(requestId: string, outcome: Outcome): void;
}
