import { describe, expect, it } from "vitest";
import { importCodex } from "./codex.ts";

const permissions = (text: string) => importCodex(text).settings?.permissions;
const errors = (text: string) => importCodex(text).notes.filter(({ severity }) => severity === "error");

describe("importing Codex rules", () => {
  it("F12 allow, prompt and forbidden become allow, ask and deny of a word prefix", () => {
    const rules = `
# what may run
prefix_rule(pattern = ["git", "status"])
prefix_rule(pattern = ["cp"], decision = "prompt")
prefix_rule(
    pattern = ["rm"], decision = "forbidden",  # never
    justification = "use the bin",
)`;
    expect(permissions(rules)).toEqual({ allow: ["Bash(git status *)"], ask: ["Bash(cp *)"], deny: ["Bash(rm *)"] });
  });

  it("F12 alternatives become a rule each", () => {
    expect(permissions('prefix_rule(pattern=["npm", ["i", "install"]], decision="allow")')?.allow).toEqual([
      "Bash(npm i *)",
      "Bash(npm install *)",
    ]);
  });

  it("F29 match and not_match are checked, and kept as tests", () => {
    const rule = (match: string) =>
      `prefix_rule(pattern=["git","push"], decision="forbidden", match=[${match}], not_match=[["git", "pull"]])`;
    expect(importCodex(rule('"git push -f"')).tests).toEqual([
      { rule: "Bash(git push *)", as: "deny", match: ["git push -f"], not_match: ["git pull"] },
    ]);
    expect(errors(rule('"git fetch"'))[0]).toMatchObject({ line: 1, message: expect.stringContaining("git fetch") });
  });

  it.each([
    ["x = 1", 1],
    ['\nprefix_rule(pattern=["a" + "b"])', 2],
    ['prefix_rule(pattern=[w for w in ["a"]])', 1],
    ['load("x.star", "y")', 1],
    ['prefix_rule("git")', 1],
    ['prefix_rule(pattern=["a"], pattern=["b"])', 1],
  ])("F12 anything but literals is refused with its line: %s", (text, line) => {
    expect(importCodex(text).settings).toBeUndefined();
    expect(errors(text)[0]?.line).toBe(line);
  });

  it("F12 an unknown call or decision is refused: its restriction is not known", () => {
    expect(errors('deny_everything(x="y")')).toHaveLength(1);
    expect(errors('prefix_rule(pattern=["a"], decision="maybe")')).toHaveLength(1);
  });

  it("F12 its configuration is told from its rules, and where these lie is said", () => {
    for (const text of [
      'model = "x"\napproval_policy = "on-request"',
      '[projects."/work/app"]\ntrust_level = "trusted"',
    ])
      expect(errors(text)).toEqual([expect.objectContaining({ message: expect.stringContaining("rules/*.rules") })]);
  });

  it("F12 a word that no pattern can hold voids an allow and shortens a deny", () => {
    const rule = (decision: string) => `prefix_rule(pattern=["sh", "-c", "a; b"], decision="${decision}")`;
    expect(permissions(rule("forbidden"))).toEqual({ deny: ["Bash(sh -c *)"] });
    expect(importCodex(rule("allow"))).toMatchObject({ settings: {}, notes: [{ severity: "warning" }] });
    expect(importCodex(rule("allow")).settings?.permissions).toBeUndefined();
  });

  it("F12 hosts are denied for every tool and never allowed", () => {
    expect(permissions('network_rule(host="evil.example", protocol="https", decision="deny")')?.deny).toEqual([
      "connect(evil.example)",
    ]);
    expect(permissions('network_rule(host="good.example", protocol="https", decision="allow")')).toBeUndefined();
  });
});
