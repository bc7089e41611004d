import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { effect, path, situation, source, workspace } from "../../test/support/policy-arbitraries.ts";
import {
  type Behavior,
  createPolicy,
  type Decision,
  modes,
  type Policy,
  type RuleSource,
  type Situation,
} from "./index.ts";

const LOOSENESS: Record<Behavior, number> = { deny: 0, ask: 1, allow: 2 };

const policy: fc.Arbitrary<Policy> = fc
  .record({
    mode: fc.constantFrom(...modes),
    trusted: fc.boolean(),
    rules: fc.array(source(["allow", "ask", "deny"]), { maxLength: 5 }),
    keepsReaders: fc.constantFrom(
      () => false,
      (folder: string) => folder.startsWith("/ws"),
    ),
  })
  .map((options) => createPolicy({ workspace, ...options }));
const withRule = (base: Policy, rule: RuleSource): Policy => base.with({ rules: [...base.rules, rule] });
const looseness = (decision: Decision): number => LOOSENESS[decision.decision];

describe("laws", () => {
  it("F12 adding a deny or ask rule never loosens a decision, nor fills a hole", () => {
    fc.assert(
      fc.property(policy, source(["deny", "ask"]), situation, fc.array(path), (base, rule, call, probes) => {
        const [before, after] = [base.decide(call), withRule(base, rule).decide(call)];
        expect(looseness(after)).toBeLessThanOrEqual(looseness(before));
        for (const probe of probes)
          for (const hole of after.decision === "deny" ? [] : before.grant.holes)
            if (hole.matches(probe))
              expect(after.grant.holes.some((other) => other.do === hole.do && other.matches(probe))).toBe(true);
      }),
      { numRuns: runs(1_500) },
    );
  });

  it("F12 adding an allow rule changes nothing that anything demands, and never tightens", () => {
    const demanded = (decision: Decision) =>
      decision.trace.filter(
        (step) => ["deny", "ask", "protected", "critical"].includes(step.step) && step.outcome !== "pass",
      );
    fc.assert(
      fc.property(policy, source(["allow"]), situation, (base, rule, call) => {
        const [before, after] = [base.decide(call), withRule(base, rule).decide(call)];
        expect(demanded(after)).toEqual(demanded(before));
        if (after.decision === before.decision) expect(after.grant.holes).toHaveLength(before.grant.holes.length);
        const strictest = Math.min(...demanded(before).map((step) => LOOSENESS[step.outcome as Behavior]));
        expect(looseness(after)).toBeLessThanOrEqual(strictest);
        if (strictest === looseness(before)) expect(after.decision).toBe(before.decision);
        expect(looseness(after)).toBeGreaterThanOrEqual(looseness(before));
      }),
      { numRuns: runs(1_500) },
    );
  });

  it("F12 taking trust away, or a part of the call's cover, never loosens", () => {
    fc.assert(
      fc.property(policy, situation, effect, (base, call, more) => {
        expect(looseness(base.with({ trusted: false }).decide(call))).toBeLessThanOrEqual(
          looseness(base.with({ trusted: true }).decide(call)),
        );
        const larger = { ...call, effects: [...call.effects, more] };
        expect(looseness(base.decide(larger))).toBeLessThanOrEqual(looseness(base.decide(call)));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("F12 the suggested rules are those that spare the question", () => {
    fc.assert(
      fc.property(policy, situation, (base, call) => {
        const decision = base.decide(call);
        for (const suggestion of decision.suggestions) {
          expect(decision.decision).toBe("ask");
          expect(suggestion.rules.length).toBeLessThanOrEqual(5);
          expect(base.with({ grant: suggestion.rules }).decide(call)).toMatchObject({ decision: "allow" });
        }
      }),
      { numRuns: runs(1_500) },
    );
  });

  it("F12 no rule about reading or writing covers the removal of a folder", () => {
    const removal = fc.record({
      ...{
        do: fc.constant("write" as const),
        change: fc.constant("delete" as const),
        tree: fc.constant(true as const),
      },
      ...{ path, basis: fc.constantFrom("enforced" as const, "proved" as const) },
    });
    const patterns = fc.constantFrom("**", "//**", "/a/**", "/*", "a/**", "//data/**", "/.env", "~/**");
    const rules = fc.array(fc.tuple(fc.constantFrom("Edit", "write", "Read", "read"), patterns));
    const mode = fc.constantFrom(...modes.filter((one) => one !== "bypassPermissions" && one !== "acceptEdits"));
    fc.assert(
      fc.property(removal, rules, mode, (effect, texts, inMode) => {
        const base = createPolicy({ workspace, mode: inMode });
        const call: Situation = { tool: { name: "Bash", origin: "builtin" }, input: {}, effects: [effect] };
        const loose = base.with({ grant: texts.map(([word, pattern]) => `${word}(${pattern})`) });
        expect(loose.decide(call).decision).toBe(base.decide(call).decision);
        if (inMode !== "undoable") expect(base.decide(call).decision).not.toBe("allow");
      }),
    );
  });

  it("F12 same content, same answer and generation; other content, another generation", () => {
    fc.assert(
      fc.property(policy, source(["deny"]), situation, (base, rule, call) => {
        const again = base.with({});
        expect(again.generation).toBe(base.generation);
        expect(JSON.stringify(again.decide(call))).toBe(JSON.stringify(base.decide(call)));
        expect(withRule(base, rule).generation).not.toBe(base.generation);
      }),
      { numRuns: runs(300) },
    );
  });

  it("F12 every input gets an answer with a reason, and a malformed effect is never allowed unasked", () => {
    const junk = fc.oneof(
      fc.anything(),
      fc.record({
        do: fc.constantFrom("read", "write", "run", "connect", "nothing"),
        path: fc.anything(),
        argv: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(
        policy,
        fc.oneof(fc.array(junk, { maxLength: 3 }), junk),
        fc.anything(),
        fc.anything(),
        (base, effects, input, tool) => {
          const decision = base.decide({ tool, input, effects } as unknown as Situation);
          expect(decision.reason).not.toBe("");
          if (base.mode !== "bypassPermissions" && !(Array.isArray(effects) && effects.length === 0))
            expect(decision.decision).not.toBe("allow");
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
