import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../imported.ts";
import { importOpencode } from "./opencode.ts";

const run = (permission: unknown, options?: ImportOptions, rest: object = {}) =>
  importOpencode(JSON.stringify({ permission, ...rest }), options);
const permissions = (permission: unknown, options?: ImportOptions, rest?: object) =>
  run(permission, options, rest).settings?.permissions;

describe("importing opencode permissions", () => {
  it("F12 order that strictness can say is said", () => {
    expect(permissions({ bash: { "npm *": "allow", "npm publish *": "deny", "rm *": "ask" } })).toEqual({
      allow: ["Bash(npm *)"],
      ask: ["Bash(rm *)"],
      deny: ["Bash(npm publish *)"],
    });
  });

  it("F12 a line that a later one replaces is gone", () => {
    expect(permissions({ bash: { "git *": "deny", "*": "ask" } })).toEqual({ ask: ["Bash", "PowerShell", "REPL"] });
    expect(permissions({ "*": "deny", bash: "allow" })?.allow).toEqual(["Bash(**)"]);
  });

  it("F12 an allow that makes a hole into an earlier deny is refused, with both lines", () => {
    const lineOf = (path: readonly string[]) => (path.at(-1) === "*" ? 3 : 4);
    const { settings, notes } = run({ bash: { "*": "deny", "git *": "allow" } }, { lineOf });
    expect(settings).toBeUndefined();
    expect(notes[0]).toMatchObject({ severity: "error", line: 4, message: expect.stringContaining("(line 3)") });
  });

  it("F12 exceptions to a catch-all ask still ask, unless the rest is left to the mode on purpose", () => {
    const config = { bash: { "*": "ask", "git status": "allow" } };
    expect(permissions(config)).toEqual({ ask: ["Bash", "PowerShell", "REPL"] });
    expect(run(config).notes[0]).toMatchObject({
      severity: "warning",
      message: expect.stringContaining("--leave-reads"),
    });
    expect(permissions(config, { leaveReads: true })).toEqual({ allow: ["Bash(git status)"] });
  });

  it.each([
    ["*", ["Edit", "Write", "NotebookEdit", "apply_patch"]],
    ["src/*", ["Edit(//**/src/**)"]],
    ["*.env", ["Edit(//**/*.env)"]],
    ["src/*.ts", ["Edit(//**/src/**/*.ts)"]],
    ["src/a*b/c", ["Edit(//**/src/a*)"]],
    ["../x/y", ["Edit(//**/x/y)"]],
    ["~/keys/*", ["Edit(~/keys/**)"]],
    ["/etc/*", ["Edit(//etc/**)"]],
  ])("F29 a denied path %s means at least as much", (pattern, deny) => {
    expect(permissions({ edit: { [pattern]: "deny" } })?.deny).toEqual(deny);
  });

  it.each([
    ["*", "Edit(/**)"],
    ["src/*", "Edit(/src/**)"],
    ["*.md", "Edit(/**/*.md)"],
    ["docs/*/a.md", "Edit(/docs/*/**/a.m[d])"],
    ["a?.ts", "Edit(/a?.ts)"],
    ["../x", undefined],
    ["/etc/*", undefined],
    ["~/x/*", undefined],
  ])("F29 an allowed path %s means at most as much", (pattern, rule) => {
    expect(permissions({ edit: { [pattern]: "allow" } })?.allow).toEqual(rule && [rule]);
  });

  it("F29 a command pattern that Haft reads otherwise is turned to the strict side", () => {
    expect(permissions({ bash: { "npm run test:*": "deny" } })?.deny).toEqual(["Bash(npm run test:**)"]);
    expect(permissions({ bash: { "curl * | *": "deny" } })?.deny).toEqual(["Bash(curl*)"]);
    expect(permissions({ bash: { "a ? b": "deny" } })?.deny).toEqual(["Bash(a * b)"]);
    expect(permissions({ bash: { "a ? b": "allow", "x > y": "allow" } })).toBeUndefined();
    expect(run({ bash: { "* > *": "deny" } }).settings).toBeUndefined();
  });

  it("F29 tools of servers: a deny in every way the name can be read, an allow with a known server only", () => {
    expect(permissions({ git_hub_push: "deny" })?.deny).toEqual([
      "mcp__git__hub_push",
      "mcp__git_hub__push",
      "git_hub_push",
    ]);
    const mcp = { github: { type: "local" } };
    expect(permissions({ "github_*": "allow" }, {}, { mcp })?.allow).toEqual(["mcp__github__*"]);
    expect(permissions({ "gitlab_*": "allow" }, {}, { mcp })).toBeUndefined();
  });

  it("F08 a denied catch-all leaves only the tools that are named", () => {
    const { settings } = run({ "*": "deny", read: "allow", grep: "ask" });
    expect(settings?.policy?.allow).toEqual(["Read", "ReadManyFiles", "Grep"]);
    expect(settings?.permissions).toMatchObject({ defaultMode: "dontAsk", allow: ["Read(/**)"], ask: ["Grep"] });
  });

  it("F29 outside folders, web, agents, skills and the older switches", () => {
    expect(
      permissions(
        {
          external_directory: { "~/notes/*": "allow", "/var/*": "deny" },
          webfetch: { "https://evil.example/*": "deny" },
          task: { "review-*": "allow" },
          skill: { deploy: "ask" },
        },
        {},
        { tools: { websearch: false } },
      ),
    ).toEqual({
      allow: ["Agent(review-*)"],
      ask: ["Skill(deploy)"],
      deny: ["WebFetch(domain:evil.example)", "WebSearch", "read(//var/**)", "write(//var/**)"],
      additionalDirectories: ["~/notes"],
    });
  });

  it("V09 an invalid permission is an error with its place", () => {
    for (const permission of [{ bash: "yes" }, { bash: { "*": 1 } }, [], { bash: ["ls"] }]) {
      expect(run(permission).settings).toBeUndefined();
    }
    expect(importOpencode("{ // a comment\n permission: }").notes[0]).toMatchObject({ severity: "error", line: 2 });
  });
});
