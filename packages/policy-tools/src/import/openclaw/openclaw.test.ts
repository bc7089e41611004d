import { createToolFilter } from "@haft/core/policy";
import { describe, expect, it } from "vitest";
import { importOpenclaw } from "./openclaw.ts";

const run = (tools: object, rest: object = {}) => importOpenclaw(JSON.stringify({ tools, ...rest }));
const passes = (tools: object, ...names: string[]) => {
  const filter = createToolFilter([run(tools).settings?.policy ?? {}]);
  return names.filter((name) => !filter.exclusion({ name, origin: "builtin" }));
};

describe("importing OpenClaw policies", () => {
  it("F08 profile, allow and deny stay filters that only remove", () => {
    const { settings } = run({ profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["exec"] });
    expect(settings?.policy).toEqual({ profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["Bash"] });
    const tools = { profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["exec"] };
    expect(passes(tools, "Read", "Write", "Edit", "apply_patch", "process", "Bash", "WebFetch")).toEqual([
      "Read",
      "Write",
      "Edit",
      "apply_patch",
      "process",
    ]);
  });

  it("F08 further tools beside a profile make a list of both, and a list only passes what is in both", () => {
    expect(passes({ profile: "minimal", alsoAllow: ["web_fetch"] }, "WebFetch", "session_status", "Bash")).toEqual([
      "WebFetch",
      "session_status",
    ]);
    expect(
      passes({ profile: "minimal", alsoAllow: ["web_fetch"], allow: ["web_fetch", "exec"] }, "WebFetch", "Bash"),
    ).toEqual(["WebFetch"]);
  });

  it("F08 an empty list means nothing here, and is said to", () => {
    expect(passes({ allow: [] }, "Read", "Bash")).toEqual([]);
    expect(run({ allow: [] }).notes[0]?.severity).toBe("warning");
  });

  it("F08 a denied tool that Haft does not have would be met, an unknown profile is refused", () => {
    expect(run({ deny: ["gateway"] }).settings?.permissions?.deny).toEqual(["gateway*"]);
    expect(run({ profile: "nope" }).settings).toBeUndefined();
  });

  it("F08 a restriction of one provider or of subagents is refused; agents that Haft does not have are named", () => {
    expect(run({ byProvider: { openai: { deny: ["exec"] } } }).settings).toBeUndefined();
    expect(run({ subagents: { tools: { deny: ["exec"] } } }).settings).toBeUndefined();
    const { settings, notes } = run({}, { agents: { list: [{ id: "family", tools: { deny: ["exec"] } }] } });
    expect(settings).toEqual({});
    expect(notes[0]).toMatchObject({ severity: "warning", from: "agents.list.0.tools" });
  });

  it.each([
    [{ security: "deny" }, { deny: ["Bash", "PowerShell", "REPL"] }],
    [{ security: "full", ask: "off" }, { allow: ["Bash(**)"] }],
    [{ security: "full", ask: "always" }, { ask: ["Bash", "PowerShell", "REPL"] }],
    [{ security: "allowlist", ask: "off" }, { defaultMode: "dontAsk" }],
    [{ security: "allowlist", ask: "on-miss" }, undefined],
    [{ mode: "full" }, { allow: ["Bash(**)"] }],
    [{ mode: "something" }, { ask: ["Bash", "PowerShell", "REPL"] }],
  ])("F12 exec %j", (exec, permissions) => {
    expect(run({ exec }).settings?.permissions).toEqual(permissions);
  });

  it("F12 exec approvals: programs by name or whole path, nothing looser", () => {
    const list = [
      { pattern: "rg" },
      { pattern: "/usr/bin/git" },
      { pattern: "/opt/**/rg" },
      { pattern: "python3", argPattern: "^a$" },
    ];
    const { settings, notes } = importOpenclaw(
      JSON.stringify({
        version: 1,
        defaults: { ask: "off", security: "allowlist" },
        agents: { main: { allowlist: list } },
      }),
    );
    expect(settings?.permissions).toEqual({ allow: ["Bash(rg *)", "Bash(/usr/bin/git *)"], defaultMode: "dontAsk" });
    expect(notes.map(({ from }) => from)).toEqual(["security, ask", "/opt/**/rg", "python3"]);
  });
});
