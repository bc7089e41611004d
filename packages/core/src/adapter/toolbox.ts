import type { BatchOptions, CallRequest, Explanation, OpenBatch } from "../executor/index.ts";
import type { Decision } from "../policy/index.ts";
import type { Offer } from "../registry/index.ts";

/** What an adapter needs of Haft, and no more. */
export interface Toolbox {
  /** The tools of the next model request, as things stand now. */
  offer(): Offer;
  /** For providers that keep definitions from the model themselves. Absent: nothing is deferred here. */
  readonly deferral?: {
    /** Every tool, with those marked that the model gets only when they are loaded. */
    offer(): Offer;
    /** The tool that loads others, and what has been loaded, oldest first. */
    readonly loader: string;
    loaded(): readonly string[];
  };
  /** A batch for the calls of one model message. */
  open(options?: BatchOptions): OpenBatch;
  /** What would be decided, without running anything. */
  decide(request: CallRequest): Promise<Foreseen>;
}

/** A decision, and where it asks, the files that the answer is for, see `Explanation.contents`. */
export type Foreseen = Decision & Pick<Explanation, "contents">;
