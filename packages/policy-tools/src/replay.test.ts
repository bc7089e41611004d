import { createPolicy, type RuleSource, type Settings } from "@haft/core/policy";
import type { LogEntry } from "@haft/service";
import { expect, it } from "vitest";
import { replayPolicy } from "./replay.ts";

const at = "2026-01-01T00:00:00.000Z";
const bash = (id: string, command: string, decision: string): LogEntry => ({
  t: "call",
  at,
  id,
  tool: "Bash",
  input: { command },
  effects: [{ do: "run", argv: command.split(" "), text: command, cwd: "/w", opaque: true, basis: "proved" }],
  decision,
  status: decision === "deny" ? "denied" : "ok",
});
const entries: readonly LogEntry[] = [
  { t: "session", at, cwd: "/w", mode: "default" },
  bash("c1", "npm test", "ask"),
  bash("c2", "git push", "allow"),
  bash("c3", "npm run lint", "ask"),
  { t: "call", at, id: "c4", tool: "Nope", status: "error" },
  { t: "end", at },
];

const policyOf = (...rules: readonly Pick<RuleSource, "behavior" | "text">[]) =>
  createPolicy({
    rules: rules.map((rule) => ({ ...rule, origin: "cli" })),
    workspace: { root: "/w", startedIn: "/w", cwd: "/w", home: "/home/u", additional: [], platform: "linux" },
  });
const plain: Settings = { toolPolicies: [] };

it("F29 tells what other rules would have decided, and why", () => {
  const policy = policyOf(
    { behavior: "allow", text: "Bash(npm test)" },
    { behavior: "deny", text: "Bash(git push *)" },
  );
  expect(replayPolicy(entries, policy, plain)).toMatchObject({
    calls: 4,
    undecided: 1,
    differences: [
      { id: "c1", before: "ask", now: "allow", rule: { rule: "Bash(npm test)" } },
      { id: "c2", before: "allow", now: "deny", rule: { rule: "Bash(git push *)" }, status: "ok" },
    ],
  });
});

it("F29 the same rules make no difference", () => {
  const { differences } = replayPolicy(entries, policyOf({ behavior: "allow", text: "Bash(git push *)" }), plain);
  expect(differences).toEqual([]);
});

it("F08 a tool that would not exist is denied, with the layer that takes it away", () => {
  const { differences } = replayPolicy(entries, policyOf(), { toolPolicies: [{ deny: ["exec"], file: "s.json" }] });
  expect(differences).toHaveLength(3);
  expect(differences[0]).toMatchObject({ now: "deny", reason: expect.stringContaining("s.json") });
});
