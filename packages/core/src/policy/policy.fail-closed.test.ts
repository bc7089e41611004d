import { describe, expect, it } from "vitest";
import { rule, workspaceWith } from "../../test/support/policy-calls.ts";
import { type Effect, read, write } from "../tool/index.ts";
import { createPolicy, type Mode, type PolicyOptions, type Situation } from "./index.ts";

const workspace = workspaceWith();
const tool = { name: "Read", origin: "builtin" };
const safe: Situation = { tool, input: {}, effects: [read("/ws/a")] };
const withEffect = (effect: unknown): Situation => ({ ...safe, effects: [effect] as Effect[] });

/** A fault, and a call that would be allowed without it. */
const table: [string, Partial<PolicyOptions>, Situation][] = [
  ["a deny rule that cannot be read", { rules: [rule("deny", "Bash(")] }, safe],
  ["an ask rule that cannot be read", { rules: [rule("ask", "write")] }, safe],
  ["an allow rule that cannot be read", { rules: [rule("allow", "*")] }, withEffect(read("/etc/x"))],
  [
    "an allow rule of a project nobody trusts",
    { rules: [rule("allow", "Read", "project")] },
    withEffect(read("/etc/x")),
  ],
  ["a mode that nobody knows", { mode: "yolo!" as Mode }, withEffect(write("/ws/a"))],
  [
    "a check that throws",
    {
      extra: () => {
        throw new Error("broken");
      },
    },
    safe,
  ],
  [
    "a check that would loosen",
    { extra: () => ({ step: "flow", outcome: "allow", note: "fine" }) },
    withEffect(read("/etc/x")),
  ],
  ["effects that are no list", {}, { ...safe, effects: undefined as unknown as Effect[] }],
  ["an effect that is nothing", {}, withEffect(null)],
  ["an effect of no known word", {}, withEffect({ do: "fly", basis: "enforced" })],
  ["a path that is not absolute", {}, withEffect(read("a"))],
  ["a path that is no text", {}, withEffect({ ...read("/ws/a"), path: 7 })],
  ["a name that is no text", {}, withEffect({ ...read("/ws/a"), as: {} })],
  ["a path that climbs out", {}, withEffect(read("/ws/../etc/x"))],
  ["a basis that nobody knows", {}, withEffect({ ...read("/ws/a"), basis: "surely" })],
  ["a basis that is missing", {}, withEffect({ do: "read", path: "/ws/a" })],
  ["a claim", {}, withEffect({ ...read("/ws/a"), basis: "claimed" })],
  ["a command without words", {}, withEffect({ do: "run", basis: "proved", text: "ls", cwd: "/ws" })],
  [
    "a connection of which nobody says that it only reads",
    {},
    withEffect({ do: "connect", basis: "enforced", host: "x" }),
  ],
  [
    "a tool that is nobody",
    { rules: [rule("allow", "Read")] },
    { ...withEffect(read("/etc/x")), tool: undefined as unknown as Situation["tool"] },
  ],
];

describe("fail closed", () => {
  it("the call of the table is allowed when nothing is wrong", () => {
    expect(createPolicy({ workspace }).decide(safe).decision).toBe("allow");
  });

  it.each(table)("%s asks", (_, options, situation) => {
    expect(createPolicy({ workspace, ...options }).decide(situation)).toMatchObject({ decision: "ask" });
  });

  it("a check tightens, and says why", () => {
    const refusing = createPolicy({
      workspace,
      extra: () => ({ step: "flow", outcome: "deny", note: "A stranger chose this path." }),
    });
    expect(refusing.decide(safe)).toMatchObject({ decision: "deny", reason: "A stranger chose this path." });
  });

  it("an unreadable rule is named as a problem with its place and cure", () => {
    const { problems } = createPolicy({ workspace, rules: [{ ...rule("deny", "Bash("), file: "s.json", line: 7 }] });
    expect(problems).toMatchObject([
      { severity: "error", rule: "Bash(", source: { file: "s.json", line: 7 }, cure: expect.stringMatching(/./) },
    ]);
  });

  it("a denied call is granted nothing", () => {
    const denied = createPolicy({ workspace, rules: [rule("deny", "Read")] }).decide(safe);
    expect(denied.grant).toEqual({ effects: [], holes: [] });
  });
});
