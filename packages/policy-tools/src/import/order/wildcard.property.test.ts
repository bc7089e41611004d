import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flatten, type OrderedRule } from "./flatten.ts";
import { covers, overlaps, wildcardMatches } from "./wildcard.ts";

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 5 });
const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });

/** Every text of two letters up to a length at which short patterns have shown what they mean. */
const texts: readonly string[] = Array.from({ length: 6 }).reduce<string[]>(
  (all) => [...new Set([...all, ...all.flatMap((one) => [`${one}a`, `${one}b`])])],
  [""],
);

describe("wildcards as sets of texts", () => {
  it("matches like the regular expression that it stands for", () => {
    fc.assert(
      fc.property(pattern, text, (wild, one) => {
        const expression = new RegExp(`^${wild.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        expect(wildcardMatches(wild, one)).toBe(expression.test(one));
      }),
    );
  });

  it("overlaps whenever a text is in both", () => {
    fc.assert(
      fc.property(pattern, pattern, (a, b) => {
        const shared = texts.some((one) => wildcardMatches(a, one) && wildcardMatches(b, one));
        if (shared) expect(overlaps(a, b)).toBe(true);
        expect(overlaps(a, b)).toBe(overlaps(b, a));
      }),
    );
    expect(overlaps("git *", "* push")).toBe(true);
    expect(overlaps("git *", "npm *")).toBe(false);
    expect(overlaps("a?", "a")).toBe(false);
  });

  it("says that a pattern covers another only when every text of that is its own", () => {
    fc.assert(
      fc.property(pattern, pattern, (wide, narrow) => {
        fc.pre(covers(wide, narrow));
        for (const one of texts) if (wildcardMatches(narrow, one)) expect(wildcardMatches(wide, one)).toBe(true);
      }),
    );
    expect(covers("git *", "git push *")).toBe(true);
    expect(covers("git push *", "git *")).toBe(false);
  });
});

const RANK = { allow: 0, ask: 1, deny: 2 } as const;
type Rule = OrderedRule<number>;
const rules = fc
  .array(fc.tuple(pattern, fc.constantFrom("allow", "ask", "deny"), fc.boolean()), { maxLength: 6 })
  .map((list) => list.map(([one, action, isWidened], place): Rule => ({ patterns: [one], action, place, isWidened })));

const hit = (one: string) => (rule: Rule) => rule.patterns.some((wild) => wildcardMatches(wild, one));

describe("flatten", () => {
  it("F12 law: strictness never decides more leniently than order, unless it was refused", () => {
    fc.assert(
      fc.property(rules, (ordered) => {
        const exact = ordered.map((rule) => ({ ...rule, isWidened: false }));
        const { kept, conflicts } = flatten(exact);
        fc.pre(conflicts.length === 0);
        for (const one of texts) {
          const last = exact.findLast(hit(one));
          if (!last) continue;
          const strictest = Math.max(-1, ...kept.filter(hit(one)).map(({ action }) => RANK[action]));
          // Without a rule Haft's mode asks.
          expect(strictest < 0 ? RANK.ask : strictest).toBeGreaterThanOrEqual(RANK[last.action]);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("F12 a rule that means more than it did replaces no other", () => {
    const deny: Rule = { patterns: ["a"], action: "deny", place: 1 };
    const ask: Rule = { patterns: ["*"], action: "ask", place: 2 };
    expect(flatten([deny, ask]).kept).toEqual([ask]);
    expect(flatten([deny, { ...ask, isWidened: true }]).kept).toContain(deny);
  });
});
