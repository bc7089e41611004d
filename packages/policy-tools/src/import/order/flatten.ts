import type { Behavior } from "@haft/core/policy";
import { covers, overlaps } from "./wildcard.ts";

/** One line of a list in which order decides. */
export interface OrderedRule<P = unknown> {
  /** All patterns of the rule: it matches a text if any of them does. */
  readonly patterns: readonly string[];
  readonly action: Behavior;
  readonly place: P;
  /** The patterns match more than the rule did, so it replaces no other rule. */
  readonly isWidened?: boolean;
}

/** A list in which the strictest rule decides, with the losses of the conversion. */
interface Flattened<P> {
  readonly kept: readonly OrderedRule<P>[];
  /** Allows that are exceptions to an earlier deny. A list without order cannot express that. */
  readonly conflicts: readonly Pair<P>[];
  /** Laxer rules that lose their effect, at least in part, to an earlier stricter one. */
  readonly silenced: readonly Pair<P>[];
  /** Catch-all asks, left out on request. */
  readonly left: readonly OrderedRule<P>[];
}

interface Pair<P> {
  readonly earlier: OrderedRule<P>;
  readonly later: OrderedRule<P>;
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Turns a list in which the last match decides into one in which the strictest does. The result is never more lenient: a
 * rule is dropped only if a later one replaces all of it.
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
