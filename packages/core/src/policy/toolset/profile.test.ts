import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyTool } from "../decision.ts";
import { builtinToolNames, createToolFilter, isToolAllowedByPolicy, type ToolPolicy } from "./index.ts";

const allowed = (policy: ToolPolicy): string[] =>
  builtinToolNames.all.filter((name) => isToolAllowedByPolicy(name, policy)).sort();

const mcp = (server: string, tool: string): PolicyTool => ({ name: `mcp__${server}__${tool}`, origin: "mcp", server });

const passes = (tool: PolicyTool, policy: ToolPolicy): boolean =>
  createToolFilter([policy]).exclusion(tool) === undefined;

describe("allow and deny", () => {
  it("F04 deny wins over allow; an allow list means only these; no list means all", () => {
    expect(isToolAllowedByPolicy("exec", { allow: ["exec"], deny: ["EXEC"] })).toBe(false);
    expect(isToolAllowedByPolicy("exec", { allow: ["exec"], deny: ["group:runtime"] })).toBe(false);
    expect(allowed({ allow: ["read", "web_*"] })).toEqual(["Read", "WebFetch", "WebSearch"]);
    expect(allowed({})).toEqual([...builtinToolNames.all].sort());
    expect(allowed({ allow: ["*"] })).toEqual([...builtinToolNames.all].sort());
  });

  it("F04 an empty allow list lets nothing through", () => {
    expect(allowed({ allow: [] })).toEqual([]);
  });

  it("F04 denying write or edit denies apply_patch too, and leaves what cannot do the same", () => {
    expect(allowed({ allow: ["group:fs"], deny: ["write"] })).toEqual(["Edit", "Read"]);
    expect(allowed({ allow: ["group:fs"], deny: ["Ed*"] })).toEqual(["Read", "Write"]);
    expect(allowed({ allow: ["group:fs"], deny: ["apply_patch"] })).toEqual(["Edit", "Read", "Write"]);
    expect(allowed({ allow: ["group:shells"], deny: ["group:runtime"] })).toEqual([]);
  });

  it("F04 the reason names a denied synonym", () => {
    const filter = createToolFilter([{ deny: ["write"], file: "a.json" }]);
    expect(filter.exclusion({ name: "apply_patch", origin: "builtin" })).toEqual({
      layer: "deny",
      entry: "write",
      reason: 'policy.deny (a.json) lists "write": apply_patch covers everything that Write does',
    });
  });

  it("F04 a glob in allow means canonical names, in deny any name", () => {
    expect(allowed({ allow: ["Task*"] })).not.toContain("Agent");
    expect(allowed({ deny: ["Task*"] })).not.toContain("Agent");
  });

  it("F04 MCP tools go by the server that offers them", () => {
    expect(passes(mcp("git", "log"), { allow: ["mcp__git"] })).toBe(true);
    expect(passes(mcp("git_hub", "log"), { allow: ["mcp__git"] })).toBe(false);
    expect(passes(mcp("git_hub", "log"), { deny: ["mcp__git", "mcp__git__*"] })).toBe(true);
    expect(passes(mcp("git", "log"), { deny: ["mcp__git"] })).toBe(false);
    expect(passes(mcp("git", "log"), { allow: ["mcp__git__log"] })).toBe(true);
    expect(passes(mcp("git", "push"), { allow: ["mcp__git__log"] })).toBe(false);
    const impostor: PolicyTool = { name: "mcp__git__log", origin: "custom" };
    expect(passes(impostor, { allow: ["mcp__git"] })).toBe(false);
    expect(passes(impostor, { deny: ["mcp__git"] })).toBe(false);
  });

  it("F04 a foreign tool whose name resembles a known one is let in by neither name nor group", () => {
    const lookalike: PolicyTool = { name: "e_dit", aliases: ["Edit"], origin: "custom" };
    expect(passes(lookalike, { allow: ["Edit", "group:fs"] })).toBe(false);
    expect(passes(lookalike, { deny: ["Edit"] })).toBe(false);
  });

  it("F04 groups of an origin hold every tool from there", () => {
    expect(passes(mcp("a", "b"), { allow: ["group:mcp"] })).toBe(true);
    expect(passes({ name: "lobster", origin: "plugin" }, { deny: ["group:plugins"] })).toBe(false);
    expect(passes({ name: "mine", origin: "discovered" }, { allow: ["group:custom"] })).toBe(true);
    expect(passes({ name: "mine", origin: "custom" }, { allow: ["group:plugins"] })).toBe(false);
  });
});

describe("profiles", () => {
  it("F05 minimal is session_status and nothing else", () => {
    expect(allowed({ profile: "minimal" })).toEqual(["session_status"]);
  });

  it("F06 coding has files, programs, sessions, search and plans; no web and no messages", () => {
    const tools = allowed({ profile: "coding" });
    expect(tools).toEqual(expect.arrayContaining(["Read", "Write", "Edit", "apply_patch", "Bash", "process"]));
    expect(tools).toEqual(expect.arrayContaining(["sessions_list", "sessions_send", "sessions_spawn", "Glob", "Grep"]));
    expect(tools).toEqual(expect.arrayContaining(["TodoWrite", "ExitPlanMode", "NotebookEdit"]));
    for (const absent of ["WebFetch", "WebSearch", "WebBrowser", "message", "SendMessage", "cron"])
      expect(tools).not.toContain(absent);
  });

  it("F07 messaging has messages and the session's own state; full has everything", () => {
    expect(allowed({ profile: "messaging" })).toEqual(["message", "session_status", "sessions_list"]);
    expect(allowed({ profile: "full" })).toEqual([...builtinToolNames.all].sort());
    expect(passes(mcp("a", "b"), { profile: "full" })).toBe(true);
    expect(passes(mcp("a", "b"), { profile: "coding" })).toBe(false);
  });

  it("F07 a profile that does not exist is an error", () => {
    expect(() => allowed({ profile: "codng" as "coding" })).toThrow(/no profile "codng"/);
  });

  it("F08 profile, allow and deny are filters one after the other", () => {
    const policy: ToolPolicy = { profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["exec"] };
    expect(allowed(policy)).toEqual(["Edit", "Read", "Write", "apply_patch", "process"]);
    expect(allowed({ profile: "minimal", allow: ["Read", "session_status"] })).toEqual(["session_status"]);
  });

  it("F08 the answer names the step that decided", () => {
    const filter = createToolFilter([
      { origin: "user", profile: "coding", allow: ["group:fs"] },
      { origin: "project", file: ".haft/settings.json", deny: ["Edit"] },
    ]);
    const layerOf = (name: string) => filter.exclusion({ name, origin: "builtin" });
    expect(layerOf("WebFetch")).toEqual({
      layer: "profile",
      reason: 'the profile "coding" (user) does not include it',
    });
    expect(layerOf("Bash")).toEqual({ layer: "allow", reason: "policy.allow (user) does not list it" });
    expect(layerOf("Edit")?.reason).toBe('policy.deny (.haft/settings.json) lists "Edit"');
    expect(layerOf("Read")).toBeUndefined();
  });

  it("F08 a further policy never brings a tool back", () => {
    const lists = fc.subarray(["group:fs", "Bash", "web_*", "*", "mcp__a", "Read", "group:mcp"]);
    const policies = fc.record(
      { profile: fc.constantFrom("minimal", "coding", "messaging", "full"), allow: lists, deny: lists },
      { requiredKeys: [] },
    ) as fc.Arbitrary<ToolPolicy>;
    const tools = [
      ...builtinToolNames.all.map((name): PolicyTool => ({ name, origin: "builtin" })),
      mcp("a", "x"),
      mcp("b", "x"),
    ];
    fc.assert(
      fc.property(fc.array(policies, { maxLength: 3 }), policies, (before, further) => {
        const [less, more] = [createToolFilter([...before, further]), createToolFilter(before)];
        return tools.every((tool) => less.exclusion(tool) !== undefined || more.exclusion(tool) === undefined);
      }),
      { numRuns: 60 },
    );
  });
});
