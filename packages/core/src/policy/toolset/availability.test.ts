import { describe, expect, it } from "vitest";
import type { OfferContext } from "../../tool/index.ts";
import { blanketDenies } from "../blanket.ts";
import { type AvailabilityPolicy, type AvailabilityTool, availability, createToolFilter } from "./index.ts";

const offer = (platform = "linux"): OfferContext => ({
  cwd: "/w",
  agent: { id: "main" },
  platform,
  ports: new Set(["files"]),
  tools: new Set(),
  mode: "default",
});

const tool = (name: string, rest: Partial<AvailabilityTool> = {}): AvailabilityTool => ({
  name,
  origin: "builtin",
  ...rest,
});

const layerOf = (candidate: AvailabilityTool, policy: AvailabilityPolicy, ctx = offer()): string => {
  const answer = availability(candidate, policy, ctx);
  return answer === true ? "available" : answer.layer;
};

describe("availability", () => {
  it("A11 `enabled: false` hides a tool until a setting enables it", () => {
    const off = tool("REPL", { enabled: false });
    expect(availability(off, {}, offer())).toEqual({
      absent: "off by default: set tools.REPL.enabled to true",
      layer: "tool",
    });
    expect(layerOf(off, { tools: { repl: { enabled: true } } })).toBe("available");
    expect(layerOf(tool("REPL", { enabled: true }), {})).toBe("available");
  });

  it("A11 the tool's own condition is asked anew every time", () => {
    let asked = 0;
    const windows = tool("PowerShell", {
      when: ({ platform }) => {
        asked += 1;
        return platform === "win32" || { absent: "PowerShell needs Windows or pwsh" };
      },
    });
    expect(availability(windows, {}, offer())).toEqual({ absent: "PowerShell needs Windows or pwsh", layer: "tool" });
    expect(availability(windows, {}, offer("win32"))).toBe(true);
    expect(asked).toBe(2);
  });

  it("A11 a condition that throws or answers nonsense counts as no", () => {
    const throwing = tool("A", {
      when: () => {
        throw new Error("no display");
      },
    });
    expect(availability(throwing, {}, offer())).toMatchObject({ absent: "its condition failed: no display" });
    for (const nonsense of [undefined, null, false, 1, "true", {}, Promise.resolve(true)])
      expect(layerOf(tool("A", { when: () => nonsense as true }), {})).toBe("tool");
  });

  it("A11 no setting brings back a tool whose condition says no", () => {
    const absent = tool("Canvas", { when: () => ({ absent: "no surface" }) });
    expect(layerOf(absent, { tools: { Canvas: { enabled: true } }, useTools: ["Canvas"] })).toBe("tool");
  });

  it("D08 profile, allow and deny decide here too, and nothing else overrules them", () => {
    const filter = createToolFilter([{ profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["exec"] }]);
    const enabled = { Bash: { enabled: true }, WebFetch: { enabled: true }, Glob: { enabled: true } };
    const policy: AvailabilityPolicy = { filter, tools: enabled };
    expect(layerOf(tool("WebFetch"), policy)).toBe("profile");
    expect(layerOf(tool("Glob"), policy)).toBe("allow");
    expect(layerOf(tool("Bash"), policy)).toBe("deny");
    expect(layerOf(tool("Read"), policy)).toBe("available");
  });

  it("D08 a deny rule over a whole tool removes it and says where it stands", () => {
    const rule = (text: string, line: number) =>
      ({ behavior: "deny", origin: "user", file: "u.json", line, text }) as const;
    const blanketDeny = blanketDenies([rule("Read(.env)", 2), rule("Bash", 3), rule("mcp__git", 4)]);
    expect(availability(tool("Bash"), { blanketDeny }, offer())).toEqual({
      absent: "the rule deny Bash (u.json:3) forbids it",
      code: "denied_by_rule",
      layer: "rule",
    });
    expect(layerOf(tool("mcp__git__log", { origin: "mcp", server: "git" }), { blanketDeny })).toBe("rule");
    expect(layerOf(tool("mcp__git_hub__log", { origin: "mcp", server: "git_hub" }), { blanketDeny })).toBe("available");
    expect(layerOf(tool("Read"), { blanketDeny })).toBe("available");
  });

  it("D13 V02 enableToolCalls: false leaves no tool, regardless of the other settings", () => {
    const policy: AvailabilityPolicy = {
      enableToolCalls: false,
      tools: { Read: { enabled: true } },
      useTools: ["Read"],
    };
    expect(layerOf(tool("Read"), policy)).toBe("enableToolCalls");
    expect(layerOf(tool("Read"), { ...policy, enableToolCalls: true })).toBe("available");
  });

  it("D13 V03 tools[x].enabled: false removes that tool, in any spelling of its name", () => {
    for (const spelling of ["Bash", "bash", "EXEC", "run-shell-command"]) {
      expect(layerOf(tool("Bash"), { tools: { [spelling]: { enabled: false } } })).toBe("tools");
      expect(layerOf(tool("Read"), { tools: { [spelling]: { enabled: false } } })).toBe("available");
    }
    const twice = { Bash: { enabled: true }, exec: { enabled: false }, shell: { enabled: true } };
    expect(layerOf(tool("Bash"), { tools: twice })).toBe("tools");
    expect(layerOf(tool("mine", { origin: "custom" }), { tools: { MINE: { enabled: false } } })).toBe("tools");
  });

  it("D13 useTools: a list means only these, null means all, an empty list none", () => {
    expect(layerOf(tool("Read"), { useTools: ["read_file"] })).toBe("available");
    expect(layerOf(tool("Write"), { useTools: ["read_file"] })).toBe("useTools");
    expect(layerOf(tool("Read"), { useTools: [] })).toBe("useTools");
    expect(layerOf(tool("Read"), { useTools: null })).toBe("available");
  });

  it("D13 inherited object keys are no settings", () => {
    expect(layerOf(tool("constructor", { origin: "custom" }), { tools: {} })).toBe("available");
  });
});
