import type { Behavior } from "@haft/core/policy";
import { covers, overlaps } from "./wildcard.ts";

/** One line of a list in which order decides. */
export interface OrderedRule<P = unknown> {
  /** All patterns of the rule: a text that any of them means is meant. */
  readonly patterns: readonly string[];
  readonly action: Behavior;
  readonly place: P;
  /** The patterns mean more than the rule did, so it replaces no other. */
  readonly isWidened?: boolean;
}

/** A list in which the strictest decides, with what got lost on the way. */
export interface Flattened<P> {
  readonly kept: readonly OrderedRule<P>[];
  /** An allow that makes a hole into a deny before it. Nothing without order can say that. */
  readonly conflicts: readonly Pair<P>[];
  /** A laxer rule that has no effect any more, at least in part, with the stricter one before it. */
  readonly silenced: readonly Pair<P>[];
  /** Catch-all asks that were left out on request. */
  readonly left: readonly OrderedRule<P>[];
}

export interface Pair<P> {
  readonly earlier: OrderedRule<P>;
  readonly later: OrderedRule<P>;
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Turns a list in which the last hit decides into one in which the strictest does. The result never answers more
 * leniently: a rule is only dropped when a later one replaces all of it.
 */
export function flatten<P>(rules: readonly OrderedRule<P>[], leaveCatchAllAsk = false): Flattened<P> {
  const live = rules.filter(
    (rule, index) => !rules.slice(index + 1).some((later) => !later.isWidened && coversAll(later, rule)),
  );
  const left: OrderedRule<P>[] = [];
  const conflicts: Pair<P>[] = [];
  const silenced: Pair<P>[] = [];
  for (const [index, earlier] of live.entries()) {
    const holes = live
      .slice(index + 1)
      .filter((later) => RANK[later.action] < RANK[earlier.action] && overlapsAny(earlier, later));
    if (holes.length === 0) continue;
    if (leaveCatchAllAsk && earlier.action === "ask" && earlier.patterns.includes("*")) left.push(earlier);
    else
      for (const later of holes)
        (earlier.action === "deny" && later.action === "allow" ? conflicts : silenced).push({ earlier, later });
  }
  const isDead = (rule: OrderedRule<P>) =>
    silenced.some(({ earlier, later }) => later === rule && coversAll(earlier, rule));
  return { kept: live.filter((rule) => !left.includes(rule) && !isDead(rule)), conflicts, silenced, left };
}

const coversAll = (wide: OrderedRule, narrow: OrderedRule): boolean =>
  narrow.patterns.every((pattern) => wide.patterns.some((other) => covers(other, pattern)));

const overlapsAny = (a: OrderedRule, b: OrderedRule): boolean =>
  a.patterns.some((pattern) => b.patterns.some((other) => overlaps(pattern, other)));
