import { describe, expect, it } from "vitest";
import { bash, claimed, command, proved, rule, workspaceWith } from "../../test/support/policy-calls.ts";
import { ask, call, connect, delegate, type Effect, read, remove, send, state, unknown, write } from "../tool/index.ts";
import { type CapturedFact, createPolicy, type RuleSource } from "./index.ts";

const workspace = workspaceWith({ additional: ["/data"] });

interface Extra {
  readonly rules?: readonly RuleSource[];
  readonly captured?: readonly CapturedFact[];
  readonly sawPrivate?: boolean;
}

function decide(effects: readonly Effect[], { rules = [], captured, sawPrivate = false }: Extra = {}) {
  const policy = createPolicy({ workspace, mode: "undoable", rules, sawPrivate: () => sawPrivate });
  return policy.decide({ tool: bash, input: {}, effects, ...(captured ? { captured } : {}) });
}

/** `free`, `hold` or `ask`, as the call would be treated. */
function answer(effects: readonly Effect[], extra?: Extra): string {
  const { decision, grant } = decide(effects, extra);
  return decision === "allow" ? (grant.hold ? "hold" : "free") : decision;
}

describe("F30 the table of mode undoable", () => {
  const rows: [string, Effect[], string][] = [
    ["reading inside", [read("/ws/a")], "free"],
    ["reading in an added folder", [read("/data/a", { tree: true })], "free"],
    ["reading what is private", [read("/ws/.env")], "ask"],
    ["reading a key", [read("/ws/deploy/id_ed25519")], "ask"],
    ["reading a pattern for secrets", [read("/ws/.env.example")], "free"],
    ["reading what a link makes private", [{ ...read("/ws/plain"), as: "/ws/.env" } as Effect], "ask"],
    ["reading outside", [read("/etc/hosts")], "ask"],
    ["writing inside", [write("/ws/a"), remove("/ws/b")], "free"],
    ["writing outside", [write("/etc/hosts")], "ask"],
    [
      "writing what a command names",
      [proved(write("/ws/a")), command("sed -i s/a/b/ a", { opaque: undefined })],
      "hold",
    ],
    ["writing a protected file", [write("/ws/.git/hooks/x")], "ask"],
    ["writing in .git with a file tool", [write("/ws/.git/index")], "ask"],
    ["writing a CI file", [write("/ws/.github/workflows/x.yml")], "ask"],
    ["writing what Python loads by itself", [write("/ws/a/conftest.py")], "ask"],
    ["writing .mcp.json", [write("/ws/.mcp.json")], "ask"],
    ["writing a manifest with life-cycle scripts", [write("/ws/package.json")], "ask"],
    ["removing the workspace", [remove("/ws", { tree: true })], "ask"],
    ["a whole tree", [write("/ws/x", "modify", { tree: true })], "ask"],
    ["a command in the foreground", [command("make")], "hold"],
    ["git's ordinary work", [command("git commit -m x")], "hold"],
    ["a command in the background, which is served", [command("npm run dev", { background: true })], "hold"],
    ["one that changes the workspace", [command("npm run dev", { background: true, direct: true })], "ask"],
    ["one that needs the network", [command("ssh x", { background: true })], "ask"],
    ["a command that needs the network", [command("curl example.com")], "ask"],
    ["a push", [command("git -C sub push")], "ask"],
    ["an installation", [command("npm install left-pad")], "ask"],
    ["what throws old versions away", [command("git reflog expire --all")], "ask"],
    ["what lets others work", [command("docker run x")], "ask"],
    ["the same behind a wrapper", [command("x y", { wrappers: ["docker"] })], "ask"],
    ["a script that nobody can read", [unknown("eval")], "hold"],
    ["fetching with Haft's own client", [connect("example.com", { sends: false })], "free"],
    ["sending to a host", [connect("example.com")], "ask"],
    ["sending a message", [send("mail")], "ask"],
    ["calling a server", [call("s", "t")], "ask"],
    ["another agent", [delegate("x")], "free"],
    ["todos", [state("todos")], "free"],
    ["memory", [state("memory")], "ask"],
    ["a question", [ask()], "free"],
    ["a claim", [claimed(read("/ws/a"))], "ask"],
    ["the strictest of several", [command("make"), read("/ws/.env")], "ask"],
  ];
  it.each(rows)("F30 %s", (_, effects, expected) => expect(answer(effects)).toBe(expected));

  it("F30 after a private read nothing is fetched unasked", () => {
    expect(answer([connect("example.com", { sends: false })], { sawPrivate: true })).toBe("ask");
  });

  it("F30 deny and ask rules come first, and a call that a rule allows is not held", () => {
    expect(answer([command("make")], { rules: [rule("deny", "Bash(make)")] })).toBe("deny");
    expect(answer([write("/ws/a")], { rules: [rule("ask", "Edit(a)")] })).toBe("ask");
    expect(answer([command("make")], { rules: [rule("allow", "Bash(make)")] })).toBe("free");
    expect(answer([command("curl x")], { rules: [rule("allow", "Bash(curl *)")] })).toBe("free");
    expect(decide([command("sudo make")]).code).toBe("forbidden_command");
  });

  it("F30 a tree that a tool reads leaves private files out", () => {
    const { holes } = decide([read("/ws", { tree: true })]).grant;
    expect(holes.map((hole) => [hole.matches("/ws/x/.env"), hole.matches("/ws/x/a.ts")])).toEqual([[true, false]]);
  });

  it("F30 a tool's default to run by itself does not open what is private", () => {
    const policy = createPolicy({ workspace, mode: "undoable" });
    const tool = { ...bash, autoExecute: true };
    const answers = [read("/ws/.env"), read("/ws/a"), claimed(read("/ws/a"))].map(
      (effect) => policy.decide({ tool, input: {}, effects: [effect] }).decision,
    );
    expect(answers).toEqual(["ask", "allow", "allow"]);
  });

  it("F30 the question says why", () => {
    expect(decide([command("git push")]).reason).toContain("it needs the network");
    expect(decide([write("/ws/.github/workflows/ci.yml")]).reason).toContain(".github runs automatically later");
  });
});

describe("F30 a command's changes in its view", () => {
  const captured = (effects: Effect[], fact: CapturedFact = {}) =>
    answer(effects, { captured: effects.map(() => fact) });

  it("F30 ordinary files and git's own are free", () => {
    expect(captured([write("/ws/a"), remove("/ws/b"), write("/ws/.git/index"), write("/ws/.git/objects/ab/cd")])).toBe(
      "free",
    );
  });

  it("F30 a change that runs by itself, governs tools or lies outside is asked about", () => {
    for (const path of [
      "/ws/.git/hooks/x",
      "/ws/.git/config",
      "/ws/.envrc",
      "/ws/.github/ci.yml",
      "/ws/package.json",
      "/etc/x",
    ])
      expect(captured([write("/ws/a"), write(path)]), path).toBe("ask");
  });

  it("F30 an inspected and harmless change is free, a doubt is asked about, rules still count", () => {
    expect(captured([write("/ws/.git/config")], { harmless: true })).toBe("free");
    expect(captured([write("/ws/package.json")], { harmless: true })).toBe("free");
    expect(captured([write("/etc/x")], { harmless: true })).toBe("ask");
    expect(captured([write("/ws/link")], { doubt: "It leads out." })).toBe("ask");
    const effects = [write("/ws/.git/config")];
    expect(answer(effects, { captured: [{ harmless: true }], rules: [rule("deny", "write(.git/**)")] })).toBe("deny");
  });
});
