import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { effect, source, workspace } from "../../test/support/policy-arbitraries.ts";
import { call } from "../tool/index.ts";
import { createPolicy, modes, type PolicyOptions, type Situation } from "./index.ts";

const options: fc.Arbitrary<PolicyOptions> = fc.record({
  workspace: fc.constant(workspace),
  mode: fc.constantFrom(...modes),
  trusted: fc.boolean(),
  rules: fc.array(source(["allow", "ask", "deny"]), { maxLength: 5 }),
});

const serverCall: fc.Arbitrary<Situation> = fc.record({
  tool: fc.record(
    {
      name: fc.constantFrom("mcp__s__get", "mcp__t__get"),
      origin: fc.constantFrom("mcp", "builtin"),
      server: fc.constantFrom("s", "t"),
      aliases: fc.constantFrom([], ["mcp__t__get"], ["Bash"]),
      autoExecute: fc.boolean(),
    },
    { requiredKeys: ["name", "origin"] },
  ),
  input: fc.constantFrom({}, { model: "x" }, { skill: "a" }, null),
  effects: fc.oneof(
    fc
      .tuple(
        fc.constantFrom("s", "t"),
        fc.constantFrom("get", "put"),
        fc.boolean(),
        fc.constantFrom("claimed", "enforced"),
      )
      .map(([server, tool, change, basis]) => [{ ...call(server, tool, { change }), basis: basis as "claimed" }]),
    fc.array(effect, { maxLength: 2 }),
  ),
});

it("F12 an earlier call changes no decision", () => {
  fc.assert(
    fc.property(options, fc.array(serverCall, { minLength: 2, maxLength: 12 }), (made, calls) => {
      const asked = createPolicy(made);
      for (const one of calls) {
        const [often, once] = [asked.decide(one), createPolicy(made).decide(one)];
        expect(JSON.stringify(often)).toBe(JSON.stringify(once));
      }
    }),
    { numRuns: runs(1_000) },
  );
});

it("F12 a tool that changes its effects after a decision is judged by the new ones", () => {
  const policy = createPolicy({ workspace, rules: [{ behavior: "allow", origin: "cli", text: "call(s/get)" }] });
  const effects = [call("s", "get", { change: false })];
  const asked = { tool: { name: "mcp__s__get", origin: "mcp", server: "s" }, input: {}, effects };
  const first = policy.decide(asked);
  expect(first.decision).toBe("allow");
  Object.assign(effects[0]!, { tool: "put" });
  expect(policy.decide(asked).decision).toBe("ask");
  expect(first.grant.effects).toMatchObject([{ tool: "get" }]);
});

it("F12 a tool name that is not a string is judged without being remembered", () => {
  const policy = createPolicy({ workspace });
  for (const junk of [1n, Symbol("x"), { toJSON: () => expect.fail() }, null]) {
    const tool = { name: "mcp__s__get", origin: "mcp", server: "s", aliases: [junk] } as never;
    expect(policy.decide({ tool, input: {}, effects: [call("s", "get")] }).decision).toBe("ask");
    const effects = [{ ...call("s", "get"), tool: junk as never }];
    expect(
      policy.decide({ tool: { name: "mcp__s__get", origin: "mcp", server: "s" }, input: {}, effects }).decision,
    ).toBe("ask");
  }
});

const named = { name: "mcp__s__get", origin: "mcp", server: "s" };

it("F12 a change to a returned decision does not change a later one", () => {
  const policy = createPolicy({ workspace, rules: [{ behavior: "allow", origin: "cli", text: "call(t/get)" }] });
  for (const server of ["s", "t"]) {
    const asked = { tool: named, input: {}, effects: [call(server, "get")] };
    const fresh = JSON.stringify(policy.decide(asked));
    const got = policy.decide(asked) as never as Record<"trace" | "suggestions", object[]> & {
      grant: Record<"effects" | "holes", object[]>;
    };
    Object.assign(got, { decision: "deny" });
    Object.assign(got.trace[0]!, { outcome: "deny" });
    Object.assign(got.suggestions[0] ?? {}, { rules: ["Bash"] });
    Object.assign(got.grant.effects[0]!, { tool: "put" });
    for (const list of [got.trace, got.suggestions, got.grant.effects, got.grant.holes]) list.push({ do: "unknown" });
    expect(JSON.stringify(policy.decide(asked))).toBe(fresh);
  }
});

it("F12 an effect with a value that changes on each read decides nothing for others", () => {
  for (let turns = 0; turns < 6; turns++) {
    const policy = createPolicy({ workspace, rules: [{ behavior: "allow", origin: "cli", text: "call(s/put)" }] });
    let reads = 0;
    const shifting = { ...call("s", "get") };
    Object.defineProperty(shifting, "tool", { enumerable: true, get: () => (reads++ < turns ? "get" : "put") });
    policy.decide({ tool: named, input: {}, effects: [shifting] });
    expect(policy.decide({ tool: named, input: {}, effects: [call("s", "get")] }).decision).toBe("ask");
  }
});

it("F12 an additional field of an effect goes into the grant of its own call alone", () => {
  const policy = createPolicy({ workspace });
  const granted = (effect: object) =>
    policy.decide({ tool: named, input: {}, effects: [effect as never] }).grant.effects[0];
  expect(granted({ ...call("s", "get"), reversible: true })).toMatchObject({ reversible: true });
  expect(granted(call("s", "get"))).not.toHaveProperty("reversible");
  expect(granted({ ...call("s", "get"), reversible: true })).toMatchObject({ reversible: true });
});
