import { conflicts, type Effect } from "../../tool/index.ts";
import type { Concurrency } from "../machine.ts";

/** What a call claims while it is admitted. */
export interface Claim {
  readonly effects: readonly Effect[];
  readonly safe: boolean;
  readonly batch: object;
  /** In `strict` order: some call of the batch is unsafe. */
  readonly serial: boolean;
}

/**
 * Whether two claims exclude each other. The order in a batch is a matter of taste; between batches (of two agents, say)
 * it is always the effects that count.
 */
export function claimsConflict(concurrency: Concurrency): (a: Claim, b: Claim) => boolean {
  return (a, b) => {
    if (a.batch === b.batch && concurrency === "partition") return !(a.safe && b.safe);
    if (a.batch === b.batch && concurrency === "strict" && (a.serial || b.serial)) return true;
    return conflicts(a.effects, b.effects);
  };
}
