import { describe, expect, it } from "vitest";
import { bash, claimed, rule, workspaceWith } from "../../test/support/policy-calls.ts";
import {
  ask,
  call,
  connect,
  delegate,
  type Effect,
  read,
  remove,
  run,
  send,
  state,
  unknown,
  write,
} from "../tool/index.ts";
import { createPolicy, type Mode, modes, type PolicyTool, type RuleSource } from "./index.ts";

const workspace = workspaceWith({ additional: ["/data"], readable: ["/state/spill"] });
const command: Effect = run({ argv: ["make"], text: "make", cwd: "/ws", basis: "proved" });
const reader: Effect = run({ argv: ["ls"], text: "ls", cwd: "/ws", basis: "proved", opaque: false });

const policyIn = (mode: Mode, rules: RuleSource[] = []) =>
  createPolicy({ workspace, mode, rules, planFiles: ["/ws/PLAN.md", "/plans/a.md"] });
const answer = (mode: Mode, effects: Effect[], rules: RuleSource[] = [], tool = bash) =>
  policyIn(mode, rules).decide({ tool, input: {}, effects }).decision;

describe("F30 the table of modes", () => {
  const columns = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;
  const table: [string, Effect, ...("allow" | "ask" | "deny")[]][] = [
    ["read inside", read("/ws/a"), "allow", "allow", "allow", "allow", "allow"],
    ["read in an added folder", read("/data/a"), "allow", "allow", "allow", "allow", "allow"],
    ["read a spill file", read("/state/spill/1"), "allow", "allow", "allow", "allow", "allow"],
    ["write inside", write("/ws/a"), "ask", "allow", "deny", "deny", "allow"],
    ["remove inside", remove("/ws/a"), "ask", "allow", "deny", "deny", "allow"],
    ["write where one may only read", write("/state/spill/1"), "ask", "ask", "deny", "deny", "allow"],
    ["proved reader", reader, "allow", "allow", "allow", "allow", "allow"],
    ["other command", command, "ask", "ask", "deny", "deny", "allow"],
    ["read outside", read("/etc/hosts"), "ask", "ask", "deny", "deny", "allow"],
    ["write outside", write("/etc/hosts"), "ask", "ask", "deny", "deny", "allow"],
    ["connect", connect("example.com"), "ask", "ask", "deny", "deny", "allow"],
    ["send", send("mail"), "ask", "ask", "deny", "deny", "allow"],
    ["call", call("s", "t"), "ask", "ask", "deny", "deny", "allow"],
    ["delegate", delegate("x"), "allow", "allow", "allow", "allow", "allow"],
    ["todos", state("todos"), "allow", "allow", "allow", "allow", "allow"],
    ["memory", state("memory"), "ask", "ask", "deny", "deny", "allow"],
    ["question", ask(), "allow", "allow", "allow", "deny", "allow"],
    ["unknown", unknown("eval"), "ask", "ask", "deny", "deny", "allow"],
    ["claimed read", claimed(read("/ws/a")), "ask", "ask", "deny", "deny", "allow"],
    ["protected write", write("/ws/.git/hooks/x"), "ask", "ask", "deny", "deny", "allow"],
    ["critical removal", remove("/home/me", { tree: true }), "ask", "ask", "deny", "deny", "ask"],
    ["plan file", write("/ws/PLAN.md"), "ask", "allow", "allow", "deny", "allow"],
    ["read a plan file elsewhere", read("/plans/a.md"), "allow", "allow", "allow", "allow", "allow"],
    ["read what lies beside it", read("/plans/b.md"), "ask", "ask", "deny", "deny", "allow"],
  ];
  it.each(table)("F30 %s", (_, effect, ...expected) => {
    expect(columns.map((mode) => answer(mode, [effect]))).toEqual(expected);
  });

  it("F30 G15 to tell that a private file is there is no reading of it, where that is all that is proved", () => {
    const told = (basis: "proved" | "claimed") => answer("default", [{ ...read("/ws/.env"), shows: "names", basis }]);
    expect(told("proved")).toBe("allow");
    expect(told("claimed")).toBe("ask");
    expect(answer("default", [{ ...read("/out/.env"), shows: "names", basis: "proved" }])).toBe("ask");
  });

  it("F30 F10 a rule for an editing tool covers no secret that the edit would show; a rule for the file does", () => {
    const edit = { name: "Edit", origin: "builtin" } as const;
    const both = (path: string) => [write(path, "modify"), read(path)];
    expect(answer("default", both("/ws/a"), [rule("allow", "Edit")], edit)).toBe("allow");
    expect(answer("default", both("/ws/.env"), [rule("allow", "Edit")], edit)).toBe("ask");
    expect(answer("default", both("/ws/.env"), [rule("allow", "Edit"), rule("allow", "Read(.env)")], edit)).toBe(
      "allow",
    );
    expect(answer("acceptEdits", both("/ws/.env"), [], edit)).toBe("ask");
    expect(answer("default", [read("/ws/.env")], [rule("allow", "Read")], { ...edit, name: "Read" })).toBe("allow");
    const shell = [
      run({ argv: ["mv"], text: "mv .env b", cwd: "/ws", basis: "proved", opaque: false }),
      ...both("/ws/.env"),
    ];
    expect(answer("default", shell, [rule("allow", "Bash")])).toBe("allow");
  });

  it("F30 a deny rule holds in every mode, an ask rule asks or denies without a person", () => {
    for (const mode of modes) {
      expect(answer(mode, [read("/ws/a")], [rule("deny", "Read(a)")])).toBe("deny");
      expect(answer(mode, [read("/ws/a")], [rule("ask", "Read(a)")])).toBe(mode === "dontAsk" ? "deny" : "ask");
    }
  });

  it("F30 plan mode refuses writers in spite of allow rules, Bash included, and looks outside only by rule", () => {
    const rules = [
      rule("allow", "Bash"),
      rule("allow", "write(**)"),
      rule("allow", "read(//etc/**)"),
      rule("allow", "Agent(x)"),
    ];
    for (const effect of [write("/ws/src/a"), command, unknown("x"), send("mail"), connect("h")])
      expect(answer("plan", [effect], rules)).toBe("deny");
    expect(answer("plan", [read("/etc/hosts")], rules, { name: "Read", origin: "builtin" })).toBe("allow");
    expect(answer("plan", [delegate("x")], rules, { name: "Agent", origin: "builtin" })).toBe("allow");
    expect(policyIn("plan").decide({ tool: bash, input: {}, effects: [command] })).toMatchObject({
      code: "denied_by_mode",
      reason: "Mode plan refuses running `make`.",
    });
  });

  it("F30 an ask rule never turns a mode's no into a question", () => {
    expect(answer("plan", [write("/ws/src/a")], [rule("ask", "Edit(**)")])).toBe("deny");
    expect(answer("plan", [read("/etc/hosts")], [rule("ask", "Read(//etc/**)")])).toBe("deny");
  });

  it("F30 dontAsk lets allow rules through and says what it would have asked", () => {
    expect(answer("dontAsk", [command], [rule("allow", "Bash(make *)")])).toBe("allow");
    const refused = policyIn("dontAsk").decide({ tool: bash, input: {}, effects: [write("/ws/.envrc")] });
    expect(refused).toMatchObject({ decision: "deny", code: "denied_by_mode" });
    expect(refused.reason).toContain("Mode dontAsk");
  });

  it("F30 a remote tool that demands a person gets one, in every mode and past every rule", () => {
    const consent = claimed(ask());
    for (const mode of modes)
      expect(answer(mode, [consent], [rule("allow", "Bash")])).toBe(mode === "dontAsk" ? "deny" : "ask");
  });

  it("F30 a cd takes the session elsewhere, not the workspace along", () => {
    const moved = policyIn("default").with({ cwd: "/etc" });
    expect(moved.decide({ tool: bash, input: {}, effects: [read("/etc/hosts")] }).decision).toBe("ask");
    const ruled = policyIn("default", [rule("deny", "Read(.env)"), rule("allow", "Edit(*.conf)")]);
    const decide = (policy: typeof ruled, effect: Effect) =>
      policy.decide({ tool: bash, input: {}, effects: [effect] }).decision;
    expect(decide(ruled.with({ cwd: "/ws/src" }), read("/ws/.env"))).toBe("deny");
    expect(decide(ruled.with({ cwd: "/etc" }), read("/etc/.env"))).toBe("deny");
    expect(decide(ruled.with({ cwd: "/etc" }), write("/etc/x.conf"))).toBe("ask");
    expect(decide(ruled.with({ cwd: "/ws/src" }), write("/ws/src/x.conf"))).toBe("allow");
  });

  it("F30 an unknown mode asks like default", () => {
    expect(answer("everything" as Mode, [write("/ws/a")])).toBe("ask");
  });
});

describe("F10 read-only calls", () => {
  it("F10 run without a prompt", () => {
    expect(answer("default", [read("/ws/a"), reader, state("todos", { change: false })])).toBe("allow");
    expect(answer("default", [])).toBe("allow");
  });

  it("F10 are judged all the same: deny rules, ask rules and the boundary come first", () => {
    expect(answer("default", [read("/ws/.env")], [rule("deny", "Read(.env)")])).toBe("deny");
    expect(answer("default", [read("/ws/.env")], [rule("ask", "Read(.env)")])).toBe("ask");
    expect(answer("default", [read("/home/me/.ssh/id")])).toBe("ask");
    expect(answer("default", [reader], [rule("deny", "Bash(ls *)")])).toBe("deny");
    expect(answer("default", [], [rule("deny", "Bash")])).toBe("deny");
  });
});

describe("A12 autoExecute", () => {
  const auto: PolicyTool = { name: "lookup", origin: "custom", autoExecute: true };

  it("A12 spares the question for a call that only reads, on the tool's own word", () => {
    expect(answer("default", [claimed(read("/ws/a"))], [], auto)).toBe("allow");
    expect(answer("default", [claimed(read("/ws/a"))], [], { ...auto, autoExecute: false })).toBe("ask");
  });

  it("A12 never for what changes something, leaves the workspace, or cannot be judged", () => {
    for (const effect of [
      write("/ws/a"),
      claimed(read("/etc/hosts")),
      unknown("x"),
      command,
      call("s", "t"),
      send("m"),
    ])
      expect(answer("default", [effect], [], auto)).toBe("ask");
  });

  it("A12 never past a rule, a mode's no or a forbidden command", () => {
    const effects = [claimed(read("/ws/a"))];
    expect(answer("default", effects, [rule("deny", "lookup")], auto)).toBe("deny");
    expect(answer("default", effects, [rule("ask", "read(**)")], auto)).toBe("ask");
    expect(answer("plan", effects, [], auto)).toBe("deny");
    expect(answer("default", [{ ...reader, argv: ["sudo", "ls"] } as Effect], [], auto)).toBe("deny");
  });
});
