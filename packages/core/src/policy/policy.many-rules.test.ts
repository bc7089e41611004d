import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { situation, source, workspace } from "../../test/support/policy-arbitraries.ts";
import { createPolicy, type Decision, type RuleSource, type Situation } from "./index.ts";

const decide = (rules: readonly RuleSource[], call: Situation): Decision =>
  createPolicy({ workspace, rules, trusted: true }).decide(call);

/** Every rule by itself, one after the other: what an index over all of them must not differ from. */
const oneByOne = (rules: readonly RuleSource[], call: Situation): Decision[] =>
  rules.map((rule) => decide([rule], call));

/** The deny and ask rules against a call or one of its effects. Rules that only might touch a tree are named by one of them. */
const against = ({ trace }: Decision): string[] =>
  trace.flatMap(({ step, rule, effect, note }) => {
    if (!rule || rule.origin === "builtin" || (step !== "deny" && step !== "ask")) return [];
    const what = `${effect ?? "call"} ${step}`;
    return note.includes("could touch") ? [what] : [what, `${what} ${rule.rule}`];
  });

/** The paths that each rule takes out of trees. */
const PROBES = [
  "/ws/a/b.ts",
  "/ws/a/x.md",
  "/ws/.env",
  "/ws/q7.ts",
  "/data/x",
  "/data/.secret3",
  "/home/me/.env",
  "/etc/x",
];
const takenOut = ({ grant }: Decision): string[] =>
  grant.holes
    .filter(({ rule }) => rule.origin !== "builtin")
    .map(
      ({ do: access, rule, matches }) => `${access} ${rule.behavior} ${rule.rule}: ${PROBES.filter(matches).join()}`,
    );

/** The effects that an allow rule covers. */
const covered = ({ trace }: Decision): number[] =>
  trace.flatMap(({ step, outcome, effect }) => (step === "allow" && outcome === "allow" ? [effect ?? -1] : []));

const set = <T>(lists: readonly (readonly T[])[]): T[] => [...new Set(lists.flat())].sort();

/** Rules of every indexed shape that mean little or nothing here, as a large book has them. */
const filler = fc
  .record({
    shape: fc.nat(6),
    number: fc.nat(9),
    behavior: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
  })
  .map(({ shape, number, behavior }): RuleSource => {
    const text = [
      `Bash(tool${number} *)`,
      `Bash(git sub${number}:*)`,
      `Edit(/dir${number}/**)`,
      `Read(.secret${number})`,
      `Read(**/q${number}.*)`,
      `WebFetch(domain:*.host${number}.com)`,
      `call(server${number}/get)`,
    ][shape]!;
    return { behavior, origin: "user", text };
  });
const readable = source(["allow", "ask", "deny"]).filter(({ text }) => text !== "Bash(broken" && text !== "write");
const book = fc.array(fc.oneof(readable, filler), { maxLength: 30 });

describe("many rules", () => {
  it("F12 mean, take out and cover together what each does by itself", () => {
    fc.assert(
      fc.property(book, situation, (rules, call) => {
        const together = decide(rules, call);
        const each = oneByOne(rules, call);
        expect(set([against(together)])).toEqual(set(each.map(against)));
        expect(set([covered(together)])).toEqual(set(each.map(covered)));
        // A refusal grants nothing, so it takes nothing out either.
        if (together.decision !== "deny" && each.every(({ decision }) => decision !== "deny"))
          expect(set([takenOut(together)])).toEqual(set(each.map(takenOut)));
      }),
      { numRuns: 300 },
    );
  });

  it("F12 answer a call that comes again as they did before", () => {
    fc.assert(
      fc.property(book, fc.array(situation, { maxLength: 3 }), (rules, calls) => {
        const policy = createPolicy({ workspace, rules, trusted: true });
        const tell = (call: Situation) => {
          const { decision, reason } = policy.decide(call);
          return { decision, reason, takenOut: takenOut(policy.decide(call)) };
        };
        expect(calls.map(tell)).toEqual(calls.map(tell));
      }),
    );
  });
});
