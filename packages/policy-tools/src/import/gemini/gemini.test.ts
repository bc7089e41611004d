import { describe, expect, it } from "vitest";
import { importGemini } from "./gemini.ts";

const permissions = (text: string) => importGemini(text).settings?.permissions;
const rule = (lines: string) => `[[rule]]\n${lines}\n`;

describe("importing Gemini CLI policies", () => {
  it("F12 maps decisions, tools and command prefixes", () => {
    const text =
      rule(
        'toolName = "run_shell_command"\ncommandPrefix = ["git log", "npm test"]\ndecision = "allow"\npriority = 100',
      ) +
      rule('toolName = "run_shell_command"\ncommandPrefix = "rm -rf"\ndecision = "deny"\npriority = 200') +
      rule('toolName = ["write_file", "google_web_search"]\ndecision = "ask_user"');
    expect(permissions(text)).toEqual({
      allow: ["Bash(git log *)", "Bash(npm test *)"],
      ask: ["Write", "apply_patch", "WebSearch"],
      deny: ["Bash(rm -rf *)"],
    });
  });

  it("F12 an allow that outranks a deny of the same calls is refused, with both rules", () => {
    const text =
      rule('toolName = "run_shell_command"\ndecision = "deny"\npriority = 1') +
      rule('toolName = "run_shell_command"\ncommandPrefix = "git"\ndecision = "allow"\npriority = 2');
    const { settings, notes } = importGemini(text);
    expect(settings).toBeUndefined();
    expect(notes[0]).toMatchObject({ severity: "error", line: 5, message: expect.stringContaining("(line 1)") });
  });

  it("F12 the first rule of one priority decides, and the replaced rule is gone", () => {
    const ask = rule('toolName = "web_fetch"\ndecision = "ask_user"');
    const deny = rule('toolName = "web_fetch"\ndecision = "deny"');
    expect(permissions(ask + deny)).toEqual({ ask: ["WebFetch"] });
    expect(permissions(deny + ask)).toEqual({ deny: ["WebFetch"] });
  });

  it("F12 a condition that cannot be said voids an allow and makes a deny wider, which then replaces nothing", () => {
    expect(permissions(rule('toolName = "web_fetch"\nargsPattern = "x.*y"\ndecision = "allow"'))).toBeUndefined();
    const text =
      rule('toolName = "web_fetch"\nargsPattern = "x.*y"\ndecision = "ask_user"\npriority = 9') +
      rule('toolName = "web_fetch"\ndecision = "deny"');
    expect(permissions(text)).toEqual({ deny: ["WebFetch"] });
    expect(permissions(rule('toolName = "web_fetch"\nsubagent = "a"\ndecision = "allow"'))).toBeUndefined();
    expect(permissions(rule('toolName = "web_fetch"\nmodes = ["yolo"]\ndecision = "deny"'))?.deny).toEqual([
      "WebFetch",
    ]);
    expect(permissions(rule('toolName = "web_fetch"\ninteractive = false\ndecision = "deny"'))?.ask).toEqual([
      "WebFetch",
    ]);
  });

  it.each([
    ["git (status|diff)", "allow", ["Bash(git status *)", "Bash(git diff *)"]],
    ["git (status|diff)", "deny", ["Bash(git status*)", "Bash(git diff*)"]],
    ["npm\\\\s+test\\\\b", "allow", ["Bash(npm test *)"]],
    ["rm .*", "deny", ["Bash(rm *)"]],
    ["[a-z]+", "deny", ["Bash", "PowerShell", "REPL"]],
    ["[a-z]+", "allow", undefined],
  ] as const)("F29 the expression %s as %s", (pattern, decision, rules) => {
    const text = rule(`toolName = "run_shell_command"\ncommandRegex = "${pattern}"\ndecision = "${decision}"`);
    expect(permissions(text)?.[decision]).toEqual(rules);
  });

  it("F29 an expression over the whole arguments ends where the command does", () => {
    const of = (decision: string) =>
      permissions(
        rule(`toolName = "run_shell_command"\nargsPattern = '"command":"git status"'\ndecision = "${decision}"`),
      );
    expect(of("allow")?.allow).toEqual(["Bash(git status)"]);
    expect(of("deny")?.deny).toEqual(["Bash(git status*)"]);
  });

  it("F29 tools of servers, agents by name, and every tool", () => {
    expect(permissions(rule('mcpName = "git"\ntoolName = "push"\ndecision = "allow"'))?.allow).toEqual([
      "mcp__git__push",
    ]);
    expect(permissions(rule('toolName = "mcp_git_*"\ndecision = "allow"'))?.allow).toEqual(["mcp__git__*"]);
    expect(permissions(rule('toolName = "mcp_a_b_c"\ndecision = "allow"'))).toBeUndefined();
    expect(permissions(rule('toolName = "mcp_a_b"\ndecision = "deny"'))?.deny).toEqual(["mcp__a__b"]);
    expect(permissions(rule('mcpName = "*"\ndecision = "deny"'))?.deny).toEqual(["mcp__*"]);
    expect(permissions(rule('toolName = "investigator"\ndecision = "deny"'))?.deny).toEqual([
      "Agent(investigator)",
      "investigator*",
    ]);
    expect(permissions(rule('decision = "deny"'))?.deny).toEqual(["*"]);
    expect(permissions(rule('decision = "allow"'))).toBeUndefined();
  });

  it("V09 unknown fields, checkers and broken TOML are refused", () => {
    for (const text of [
      rule('toolName = "web_fetch"\ndecision = "deny"\nonlyOnSunday = true'),
      rule('toolName = "web_fetch"\ndecision = "never"'),
      '[[safety_checker]]\ntoolName = "*"\n',
      "[[rule]\n",
    ])
      expect(importGemini(text)).toMatchObject({ notes: [{ severity: "error", line: 1 }] });
  });
});
