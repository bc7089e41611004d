import { expect, it } from "vitest";
import { isBlanketDeny } from "./blanket.ts";
import { createPolicy, type PolicyTool, type RuleSource } from "./index.ts";

const deny = (text: string): RuleSource => ({ behavior: "deny", origin: "project", text });
const bash: PolicyTool = { name: "Bash", origin: "builtin" };
const github: PolicyTool = { name: "mcp__github__search", origin: "mcp", server: "github", remoteName: "search" };
const linear: PolicyTool = { name: "mcp__linear__search", origin: "mcp", server: "linear", remoteName: "search" };

it.each([
  ["Bash", [true, false, false]],
  ["Bash(*)", [true, false, false]],
  ["exec", [true, false, false]],
  ["*", [true, true, true]],
  ["mcp__*", [false, true, true]],
  ["mcp__github", [false, true, false]],
  ["mcp__github__*", [false, true, false]],
  ["mcp__github__search", [false, true, false]],
  ["mcp__*__search", [false, true, true]],
  ["call(github/*)", [false, true, false]],
  ["call(github)", [false, true, false]],
  ["call(github/search)", [false, true, false]],
  ["call(*/search)", [false, true, true]],
  ["call(github/delete)", [false, false, false]],
  ["call(git/*)", [false, false, false]],
  ["Bash(rm *)", [false, false, false]],
  ["run(*)", [false, false, false]],
  ["Bash(run_in_background:true)", [false, false, false]],
])("D07 deny %s removes Bash, a GitHub tool, a Linear tool: %j", (text, expected) => {
  const rules = [deny(text), { ...deny("Read"), behavior: "ask" as const }];
  expect([bash, github, linear].map((tool) => isBlanketDeny(rules, tool))).toEqual(expected);
});

it("D07 the policy names the rule, also in a folder that is not trusted", () => {
  const workspace = { root: "/ws", startedIn: "/ws", cwd: "/ws", home: "/h", additional: [], platform: "linux" };
  const policy = createPolicy({ workspace, rules: [{ ...deny("mcp__github"), file: "s.json", line: 3 }] });
  expect(policy.blanketDeny(github)).toMatchObject({ rule: "mcp__github", file: "s.json", line: 3 });
  expect(policy.blanketDeny(linear)).toBeUndefined();
  expect(policy.decide({ tool: github, input: {}, effects: [] })).toMatchObject({
    decision: "deny",
    code: "denied_by_rule",
  });
});
