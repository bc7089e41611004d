import { conflicts, type Effect } from "../../tool/index.ts";

/** How calls of one turn are ordered. */
export type Concurrency =
  /** Calls whose effects do not conflict overlap; those that conflict keep the model's order. */
  | "effects"
  /** Consecutive safe calls run together, each unsafe call alone. */
  | "partition"
  /** One unsafe call makes the whole turn serial. Nothing starts before the turn is complete. */
  | "strict";

/** A call's claim while it is admitted. */
export interface Claim {
  readonly effects: readonly Effect[];
  readonly safe: boolean;
  readonly batch: object;
  /** The folder of an agent that works apart from others. */
  readonly apart?: string | undefined;
  /** In `strict` order: some call of the batch is unsafe. */
  readonly serial: boolean;
}

/**
 * Whether two claims exclude each other. `concurrency` sets the order within a batch; between batches (of two agents,
 * say) the effects always decide.
 */
export function claimsConflict(concurrency: Concurrency): (a: Claim, b: Claim) => boolean {
  return (a, b) => {
    if (a.batch === b.batch && concurrency === "partition") return !(a.safe && b.safe);
    if (a.batch === b.batch && concurrency === "strict" && (a.serial || b.serial)) return true;
    return a.apart === b.apart
      ? conflicts(a.effects, b.effects)
      : conflicts(a.effects.filter(isReadable), b.effects.filter(isReadable));
  };
}

/** A command that nobody can read changes the folder in which it runs: in another one, only what is known counts. */
const isReadable = (effect: Effect): boolean => effect.do !== "run" || effect.opaque !== true;

/** A call of another batch that only reads does not wait for one that a person has yet to allow: that one has not begun. */
export const passesAsking = (ticket: Claim, asking: Claim): boolean =>
  ticket.batch !== asking.batch && !ticket.serial && !conflicts(ticket.effects, ticket.effects);
