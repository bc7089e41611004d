// An import never drops a restriction of the peer's file without a notice, even one that the peer would have ignored.
import { expect, it } from "vitest";
import { importers, type Peer } from "./importers.ts";

const run = (peer: Peer, file: object | string) =>
  importers[peer](typeof file === "string" ? file : JSON.stringify(file), {});

it.each<[Peer, object | string, string]>([
  ["claude", { permission: { deny: ["Bash"] } }, "permission"],
  ["claude", { permissions: { denny: ["Bash"] } }, "denny"],
  ["opencode", { permissions: { bash: "deny" } }, "permissions"],
  ["openclaw", { tool: { deny: ["exec"] } }, "tool"],
  ["openclaw", { tools: { denny: ["exec"] } }, "tools.denny"],
  ["gemini", '[[rules]]\ntoolName = "replace"\ndecision = "deny"', "rules"],
])("F12 a misspelt key of %s is no empty policy: %j", (peer, file, from) => {
  const { settings, notes } = run(peer, file);
  expect(settings).toBeUndefined();
  expect(notes).toContainEqual(expect.objectContaining({ severity: "error", from: expect.stringContaining(from) }));
});

it.each<[Peer, object | string]>([
  ["claude", { allowManagedPermissionRulesOnly: true }],
  ["claude", { allowedMcpServers: [{ serverName: "gh" }] }],
  ["claude", { deniedMcpServers: [{ serverUrl: "https://x.example/*" }] }],
  ["openclaw", { agents: { defaults: { tools: { deny: ["exec"] } } } }],
  ["gemini", '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "a"\ncommandRegex = "b"\ndecision = "allow"'],
  ["gemini", '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 1000'],
])("F12 a restriction that cannot be expressed refuses the import: %s %j", (peer, file) => {
  expect(run(peer, file).settings).toBeUndefined();
});

it("F12 servers that Claude Code's settings deny are denied; other keys of theirs are passed over as before", () => {
  const file = { deniedMcpServers: [{ serverName: "gh" }], disabledMcpjsonServers: ["jira"], env: { A: "1" } };
  expect(run("claude", file).settings).toEqual({ permissions: { deny: ["mcp__gh", "mcp__jira"] } });
  expect(run("claude", { allowManagedPermissionRulesOnly: false, model: "x" }).settings).toEqual({});
  expect(run("opencode", { model: "a/b", mode: {}, theme: "x" }).settings).toEqual({});
});

it("F12 a denied key of opencode that stands for no tool here is listed", () => {
  expect(run("opencode", { permission: { doom_loop: "deny" } }).notes).toMatchObject([
    { severity: "notice", from: "doom_loop: deny" },
  ]);
});
