import type { BatchOptions, CallRequest, Explanation, OpenBatch } from "../executor/index.ts";
import type { Decision } from "../policy/index.ts";
import type { Offer } from "../registry/index.ts";
import type { ApprovalRecord } from "./ai-sdk/approval-record.ts";

/** The part of Haft that an adapter needs. */
export interface Toolbox {
  /** The tools of the next model request, in their current state. */
  offer(): Offer;
  /** For providers that themselves hide definitions from the model. Absent: no tool is deferred here. */
  readonly deferral?: {
    /** Every tool; those that the model gets only after loading are marked. */
    offer(): Offer;
    /** The tool that loads others, and the loaded tools, oldest first. */
    readonly loader: string;
    loaded(): readonly string[];
  };
  /** A batch for the calls of one model message. */
  open(options?: BatchOptions): OpenBatch;
  /** The approval parts of a framework: whether they ask people, and Haft's record of the questions. Absent: they do not. */
  readonly host?: { readonly asks: boolean; readonly record: ApprovalRecord };
  /** The decision about a call, without running anything. */
  decide(request: CallRequest): Promise<Foreseen>;
}

/** A decision and, if it asks, the files that the answer is valid for, see `Explanation.contents`. */
export type Foreseen = Decision & Pick<Explanation, "contents">;
