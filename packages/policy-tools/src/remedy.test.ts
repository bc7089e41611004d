import { createPolicy, type Mode, modes, type RuleSource } from "@haft/core/policy";
import { type Effect, read, remove, run, unknown, write } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidingStep, remedyFor } from "./remedy.ts";

const workspace = { root: "/w", startedIn: "/w", cwd: "/w", home: "/h", additional: [], platform: "linux" };
const command = (text: string) => run({ argv: text.split(" "), text, cwd: "/w", basis: "proved" });

function judge(effect: Effect, mode: Mode = "default", ...rules: RuleSource[]) {
  return createPolicy({ workspace, mode, rules }).decide({
    tool: { name: "Bash", origin: "builtin" },
    input: {},
    effects: [effect],
  });
}

const rule = (origin: RuleSource["origin"], more: Partial<RuleSource> = {}): RuleSource => ({
  behavior: "deny",
  origin,
  text: "Bash(make *)",
  ...more,
});

describe("F32 every answer says how to get another", () => {
  it.each<[string, ReturnType<typeof judge>, RegExp]>([
    [
      "a rule of a file",
      judge(command("make"), "default", rule("project", { file: "/w/s.json", line: 4 })),
      /\/w\/s\.json:4/,
    ],
    ["a rule of the command line", judge(command("make"), "default", rule("cli")), /from the command line/],
    [
      "a managed rule",
      judge(command("make"), "default", rule("managed", { file: "/etc/haft/settings.json" })),
      /administrator of this machine/,
    ],
    ["a rule of the session", judge(command("make"), "default", rule("session")), /ends with it/],
    ["a forbidden command", judge(command("sudo x")), /Nothing can allow it/],
    ["a protected path", judge(write("/w/.git/config")), /bypassPermissions/],
    ["a critical removal", judge(remove("/h", { tree: true })), /in every mode/],
    ["plan mode", judge(command("make"), "plan"), /Leave plan mode/],
    ["a mode that asks nobody", judge(command("make"), "dontAsk"), /--mode default/],
    ["a question that a rule can spare", judge(command("make")), /with the rule/],
    ["a question that no narrow rule can spare", judge(unknown("eval")), /whole tool/],
    ["a yes of the mode", judge(read("/w/a")), /--ask RULE, --deny RULE/],
  ])("F32 %s", (_what, decision, expected) => {
    expect(remedyFor(decision)).toMatch(expected);
  });

  it("F32 the deciding step is one that says what the answer says", () => {
    const effect = fc.constantFrom(
      command("make"),
      command("sudo x"),
      write("/w/.git/x"),
      read("/etc/x"),
      read("/w/a"),
    );
    const behavior = fc.constantFrom("allow", "ask", "deny" as const);
    fc.assert(
      fc.property(effect, fc.constantFrom(...modes), behavior, (one, mode, list) => {
        const decision = judge(one, mode, rule("user", { behavior: list }));
        expect(remedyFor(decision)).toMatch(/\.$/);
        if (decision.decision !== "allow") expect(decidingStep(decision)?.outcome).toBe(decision.decision);
      }),
    );
  });
});
