import { describe, expect, it } from "vitest";
import { importClaude } from "./claude.ts";
import type { ImportOptions } from "./imported.ts";

const run = (value: object, options?: ImportOptions) => importClaude(JSON.stringify(value), options);
const permissions = (value: object, options?: ImportOptions) =>
  run({ permissions: value }, options).settings?.permissions;

describe("importing Claude Code settings", () => {
  it("F29 takes rules, mode and folders as they are", () => {
    const value = {
      allow: ["Bash(npm run test:*)", "WebFetch(domain:example.com)", "mcp__github__*"],
      ask: ["Bash(git push *)"],
      deny: ["Read(.env)", "Agent(model:opus)"],
      defaultMode: "acceptEdits",
      disableBypassPermissionsMode: "disable",
      additionalDirectories: ["../docs"],
    };
    expect(permissions(value)).toEqual(value);
  });

  it("F29 a path that counts from the settings' own folder is moved with them", () => {
    const value = { deny: ["Read(/secrets/**)", "Read(//etc/**)"] };
    expect(permissions(value)?.deny).toEqual(["Read(/secrets/**)", "Read(//etc/**)"]);
    expect(permissions(value, { scope: "user" })?.deny).toEqual(["Read(~/.claude/secrets/**)", "Read(//etc/**)"]);
    expect(permissions(value, { scope: "local" })?.deny).toEqual(["Read(./secrets/**)", "Read(//etc/**)"]);
  });

  it("V09 an allow that Haft cannot read is left out and named; it is no reason to refuse", () => {
    const { settings, notes } = run({ permissions: { allow: ["B*", "mcp__*", "Bash(ls)", "NoSuchTool"] } });
    expect(settings?.permissions?.allow).toEqual(["Bash(ls)"]);
    expect(notes.map(({ severity, from }) => [severity, from])).toEqual([
      ["warning", "B*"],
      ["warning", "mcp__*"],
      ["warning", "NoSuchTool"],
    ]);
  });

  it("V09 a deny that Haft cannot read refuses the whole file", () => {
    const { settings, notes } = run({ permissions: { deny: ["Read(../x)"], allow: ["Bash"] } });
    expect(settings).toBeUndefined();
    expect(notes[0]).toMatchObject({ severity: "error", from: "Read(../x)" });
  });

  it("F29 a deny for a tool that Haft does not have yet would meet it", () => {
    expect(permissions({ deny: ["Monitor"] })?.deny).toEqual(["Monitor*"]);
    expect(permissions({ deny: ["LSP"] })?.deny).toEqual(["LSP"]);
  });

  it("F29 a deny with an operator means everything that begins so", () => {
    expect(permissions({ deny: ["Bash(curl * | sh)"] })?.deny).toEqual(["Bash(curl *)"]);
  });

  it("F29 keeps hooks, because they may deny, and leaves the rest out by name", () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] };
    const { settings, notes } = run({
      hooks,
      env: { A: "b" },
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
    });
    expect(settings).toEqual({ hooks, bash: { enableSandbox: true } });
    expect(notes.map(({ from }) => from)).toEqual(["hooks", "sandbox", "env"]);
  });

  it("F29 hooks that are switched off are left out, and that is said", () => {
    const { settings, notes } = run({ hooks: { PreToolUse: [] }, disableAllHooks: true });
    expect([settings, notes.map(({ from }) => from)]).toEqual([{}, ["disableAllHooks"]]);
  });

  it("F29 a mode without a counterpart is the default one", () => {
    expect(permissions({ defaultMode: "auto" })).toBeUndefined();
  });

  it("V09 names the line", () => {
    const { notes } = run({ permissions: { deny: ["Read()"] } }, { lineOf: (path) => (path.at(-1) === "0" ? 7 : 1) });
    expect(notes[0]).toMatchObject({ severity: "error", line: 7 });
    expect(importClaude("{").notes[0]?.severity).toBe("error");
    expect(importClaude("[]").settings).toBeUndefined();
  });
});
