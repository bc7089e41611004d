import { describe, expect, it } from "vitest";
import { workspaceWith } from "../../test/support/policy-calls.ts";
import { call, connect, delegate, type Effect, read, remove, run, send, state, unknown, write } from "../tool/index.ts";
import { type Behavior, createPolicy, type PolicyTool, type RuleSource } from "./index.ts";

const workspace = workspaceWith();
type Rules = Partial<Record<Behavior, string[]>>;

const sources = (rules: Rules): RuleSource[] =>
  (["allow", "ask", "deny"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "cli", text })),
  );
const tool = (name: string, more: Partial<PolicyTool> = {}): PolicyTool => ({ name, origin: "builtin", ...more });
const judge = (rules: Rules, name: string | PolicyTool, effects: Effect[], input: unknown = {}) =>
  createPolicy({ workspace, rules: sources(rules), trusted: true }).decide({
    tool: typeof name === "string" ? tool(name) : name,
    input,
    effects,
  });
const answer = (...args: Parameters<typeof judge>) => judge(...args).decision;
const sh = (text: string) => run({ argv: text.split(" "), text, cwd: "/ws", basis: "proved" });

describe("the order of rules", () => {
  it("F12 deny beats ask beats allow, regardless of the more specific rule", () => {
    const rules = { allow: ["Bash(git push origin main)"], ask: ["Bash(git push *)"], deny: ["Bash(git *)"] };
    expect(answer(rules, "Bash", [sh("git push origin main")])).toBe("deny");
    expect(answer({ ...rules, deny: [] }, "Bash", [sh("git push origin main")])).toBe("ask");
    expect(answer({ allow: rules.allow }, "Bash", [sh("git push origin main")])).toBe("allow");
    expect(answer({}, "Bash", [sh("git push origin main")])).toBe("ask");
  });

  it("F12 the answer names the deciding rule and its place, and the trace every rule that hit", () => {
    const rules: RuleSource[] = [
      { behavior: "deny", origin: "project", file: ".haft/settings.json", line: 4, text: "Read(.env)" },
      { behavior: "ask", origin: "user", text: "Read" },
    ];
    const decision = createPolicy({ workspace, rules }).decide({
      tool: tool("Read"),
      input: {},
      effects: [read("/ws/.env")],
    });
    expect(decision).toMatchObject({ decision: "deny", code: "denied_by_rule", rule: { rule: "Read(.env)", line: 4 } });
    expect(decision.reason).toContain('"Read(.env)" (.haft/settings.json:4)');
    expect(decision.trace.map((step) => [step.step, step.outcome])).toEqual([
      ["deny", "deny"],
      ["ask", "ask"],
      ["mode", "ask"],
    ]);
    expect(decision.grant.effects).toEqual([]);
  });

  it("F12 one denied part denies the call, one uncovered part asks for it", () => {
    const rules = { allow: ["Bash(npm test *)"], deny: ["write(dist/**)"] };
    expect(answer(rules, "Bash", [sh("npm test")])).toBe("allow");
    expect(answer(rules, "Bash", [sh("npm test"), sh("make")])).toBe("ask");
    expect(answer(rules, "Bash", [sh("npm test"), write("/ws/out.txt")])).toBe("ask");
    expect(answer(rules, "Bash", [sh("npm test"), write("/ws/dist/out.txt")])).toBe("deny");
  });

  it("F12 an effect rule binds every tool", () => {
    const rules = { deny: ["write(.secret/**)", "connect(*.evil.com)", "run(rm *)"] };
    for (const name of ["Write", "Edit", "apply_patch", "Bash", "mcp__fs__write"])
      expect(answer(rules, name, [write("/ws/.secret/a")])).toBe("deny");
    expect(answer(rules, "Bash", [connect("x.evil.com")])).toBe("deny");
    expect(answer(rules, "REPL", [sh("rm a")])).toBe("deny");
  });
});

describe("F29 rules for whole tools", () => {
  it("F29 a bare rule covers all that the call does, the unknown too", () => {
    const wild = [unknown("eval"), write("/etc/passwd"), sh("make")];
    expect(answer({ allow: ["Bash"] }, "Bash", wild)).toBe("allow");
    expect(answer({ allow: ["Bash(*)"] }, "Bash", wild)).toBe("allow");
    expect(answer({ allow: ["run(*)", "write(//**)"] }, "Bash", wild)).toBe("ask");
    expect(answer({ allow: ["Read"] }, "Bash", wild)).toBe("ask");
  });

  it("F29 aliases and dialect names mean the same tool", () => {
    expect(answer({ deny: ["run_shell_command(git *)"] }, "Bash", [sh("git log")])).toBe("deny");
    expect(answer({ allow: ["exec"] }, "Bash", [sh("make")])).toBe("allow");
    expect(answer({ deny: ["Task"] }, "Agent", [])).toBe("deny");
    expect(answer({ deny: ["Bash"] }, tool("bash", { origin: "custom" }), [])).toBe("deny");
    expect(answer({ allow: ["Bash"] }, tool("bash", { origin: "custom" }), [sh("make")])).toBe("ask");
  });

  it.each([
    ["mcp__github", "mcp__github__get_issue", true],
    ["mcp__github__*", "mcp__github__get_issue", true],
    ["mcp__github__get_issue", "mcp__github__get_issue", true],
    ["mcp__github__get_*", "mcp__github__get_issue", true],
    ["mcp__github__get_*", "mcp__github__set_issue", false],
    ["mcp__git", "mcp__github__get_issue", false],
  ])("F29 the rule %s for %s: %s", (rule, name, hits) => {
    const target = tool(name, { origin: "mcp", server: "github" });
    const effects = [call("github", name.slice(13))];
    expect(answer({ deny: [rule] }, target, effects)).toBe(hits ? "deny" : "ask");
    expect(answer({ allow: [rule] }, target, effects)).toBe(hits ? "allow" : "ask");
  });

  it("F29 the server that offers a tool counts, not how its name splits", () => {
    const mine = tool("mcp__a__b__c", { origin: "mcp", server: "a__b" });
    expect(answer({ allow: ["mcp__a"] }, mine, [call("a__b", "c")])).toBe("ask");
    expect(answer({ allow: ["mcp__a__*"] }, mine, [call("a__b", "c")])).toBe("ask");
    expect(answer({ allow: ["mcp__a__b"] }, mine, [call("a__b", "c")])).toBe("allow");
    expect(answer({ deny: ["mcp__a"] }, mine, [call("a__b", "c")])).toBe("deny");
  });

  it("F29 a deny of a server is one of what others call there, such as its resources", () => {
    const reader = tool("ReadMcpResource");
    const effects = [call("git hub", "resources/read", { change: false })];
    expect(answer({ deny: ["mcp__git_hub"] }, reader, effects)).toBe("deny");
    expect(answer({ allow: ["ReadMcpResource"], ask: ["mcp__git_hub"] }, reader, effects)).toBe("ask");
    expect(answer({ allow: ["ReadMcpResource"], deny: ["mcp__other"] }, reader, effects)).toBe("allow");
    expect(answer({ allow: ["mcp__git_hub"] }, reader, effects)).toBe("ask");
    for (const glob of ["mcp__git_hub__*", "mcp__git*", "mcp__*"])
      expect(answer({ allow: ["ReadMcpResource"], deny: [glob] }, reader, effects), glob).toBe("deny");
    for (const glob of ["mcp__git_hub__read*", "mcp__other__*"])
      expect(answer({ allow: ["ReadMcpResource"], deny: [glob] }, reader, effects), glob).toBe("allow");
  });

  it("F29 a glob over names may deny anything", () => {
    for (const glob of ["*", "W*", "mcp__*"]) {
      const name = glob === "mcp__*" ? "mcp__x__y" : "Write";
      expect(answer({ deny: [glob] }, name, [])).toBe("deny");
    }
  });
});

describe("F29 rules with a specifier", () => {
  it("F29 a parameter rule compares the literal input, and never an absent field", () => {
    const rules = { deny: ["Agent(model:opus*)"], ask: ["Bash(run_in_background : true)"] };
    expect(answer(rules, "Agent", [delegate("x")], { model: "opus-4" })).toBe("deny");
    expect(answer(rules, "Agent", [], {})).toBe("allow");
    expect(answer({ deny: ["Agent(model:*)"] }, "Agent", [], {})).toBe("allow");
    expect(answer(rules, "Bash", [], { run_in_background: true })).toBe("ask");
    expect(answer({ deny: ["Agent(constructor:*)"] }, "Agent", [], {})).toBe("allow");
  });

  it("F29 agents and skills go by name", () => {
    expect(answer({ deny: ["Agent(plugin:reviewer)"] }, "Agent", [delegate("plugin:reviewer")])).toBe("deny");
    expect(answer({ ask: ["Agent(Explore)"] }, "Agent", [delegate("Explore")])).toBe("ask");
    expect(answer({ ask: ["Agent(Explore)"] }, "Agent", [delegate("Other")])).toBe("allow");
    const skill = (rule: string, input: object) => answer({ allow: [rule] }, "Skill", [state("memory")], input);
    expect(skill("Skill(pdf)", { skill: "pdf" })).toBe("allow");
    expect(skill("Skill(pdf)", { skill: "pdf", args: "x" })).toBe("ask");
    expect(skill("Skill(pdf *)", { skill: "pdf", args: "x" })).toBe("allow");
    expect(answer({ deny: ["Skill(pdf)"] }, "Skill", [], { skill: "pdf", args: "x" })).toBe("deny");
  });

  it("F29 hosts, channels and servers go by name", () => {
    const fetched = [connect("https://Docs.Example.com./x", { sends: false })];
    expect(answer({ allow: ["WebFetch(domain:*.example.com)"] }, "WebFetch", fetched)).toBe("allow");
    expect(answer({ allow: ["WebFetch(domain:example.com)"] }, "WebFetch", fetched)).toBe("ask");
    expect(answer({ allow: ["WebFetch(domain:docs.example.com)"] }, "Bash", [connect("docs.example.com")])).toBe("ask");
    expect(answer({ deny: ["WebFetch(domain:docs.example.com)"] }, "Bash", [connect("docs.example.com")])).toBe("deny");
    expect(answer({ allow: ["send(slack)"] }, "message", [send("slack", "#ops")])).toBe("allow");
    expect(answer({ deny: ["send(slack/#ops)"] }, "message", [send("slack", "#ops")])).toBe("deny");
    expect(answer({ allow: ["call(github/get_*)"] }, "x", [call("github", "get_issue")])).toBe("allow");
    expect(answer({ allow: ["call(github/get_*)"] }, "x", [call("github", "set_issue")])).toBe("ask");
  });

  it("F29 Write(p) and its like count as Edit(p) when they deny, and for nothing when they allow", () => {
    for (const name of ["Write", "MultiEdit", "NotebookEdit", "apply_patch"]) {
      expect(answer({ deny: [`${name}(src/a.ts)`] }, "Edit", [write("/ws/src/a.ts")])).toBe("deny");
      expect(answer({ allow: [`${name}(src/a.ts)`] }, "Edit", [write("/ws/src/a.ts")])).toBe("ask");
    }
    expect(answer({ deny: ["Grep(secret/**)"] }, "Read", [read("/ws/secret/a")])).toBe("deny");
  });

  it("F29 delete(p) means removal only; a read deny also keeps a file from being written", () => {
    expect(answer({ deny: ["delete(a.ts)"] }, "Bash", [remove("/ws/a.ts")])).toBe("deny");
    expect(answer({ deny: ["delete(a.ts)"] }, "Edit", [write("/ws/a.ts")])).toBe("ask");
    expect(answer({ deny: ["Read(.env)"] }, "Write", [write("/ws/.env", "create")])).toBe("deny");
    expect(answer({ allow: ["Edit(//tmp/x/**)"] }, "Edit", [read("/tmp/x/a"), write("/tmp/x/a")])).toBe("allow");
  });

  it("F29 a claim is covered by a rule for the tool, never by one for the effect", () => {
    const claimed: Effect = { ...write("/ws/a.ts"), basis: "claimed" };
    expect(answer({ allow: ["write(**)"] }, tool("deploy", { origin: "custom" }), [claimed])).toBe("ask");
    expect(answer({ allow: ["deploy"] }, tool("deploy", { origin: "custom" }), [claimed])).toBe("allow");
  });
});

describe("trust", () => {
  const project = (behavior: Behavior, text: string): RuleSource => ({ behavior, origin: "project", text });
  const make = (trusted: boolean) =>
    createPolicy({ workspace, trusted, rules: [project("allow", "Bash(make *)"), project("deny", "Bash(rm *)")] });

  it("F29 a project's allow rules count once it is trusted, its deny rules always", () => {
    const build = { tool: tool("Bash"), input: {}, effects: [sh("make all")] };
    expect(make(true).decide(build).decision).toBe("allow");
    const untrusted = make(false).decide(build);
    expect(untrusted.decision).toBe("ask");
    expect(untrusted.reason).toContain("haft trust");
    expect(make(false).decide({ ...build, effects: [sh("rm a")] }).decision).toBe("deny");
  });
});
