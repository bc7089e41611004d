import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { withBuiltinNames } from "../toolset/index.ts";
import { hasErrors, mergeSettings, type ParseSettingsOptions, parseSettings, SETTINGS_SCHEMA } from "./index.ts";

const parse = (value: unknown, options: Partial<ParseSettingsOptions> = {}) =>
  parseSettings(value, { origin: "user", file: "settings.json", ...options });

/** Messages and cures of what is wrong, by the key where it is wrong. */
const complaints = (value: unknown, options: Partial<ParseSettingsOptions> = {}): Record<string, string> =>
  Object.fromEntries(
    parse(value, options).problems.map(({ path, message, cure }) => [path.join("."), `${message} ${cure}`]),
  );

const everything = {
  $schema: "./schema.json",
  permissions: {
    allow: ["Bash(npm test *)"],
    ask: ["Bash(git push *)"],
    deny: ["Read(.env)"],
    defaultMode: "autoEdit",
    additionalDirectories: ["../lib"],
  },
  policy: { profile: "coding", allow: ["group:fs", "mcp__git"], deny: ["exec"] },
  tools: { glob: { enabled: true, autoExecute: true }, bash: { enabled: true, allowedDirectories: ["a"] } },
  enableToolCalls: true,
  useTools: null,
  bash: { enableSandbox: true, confirmDangerousCommands: true, dangerousCommandWhitelist: ["npm publish"] },
  toolAgentSettings: { maxToolCalls: 20, timeoutMs: 1000, autoConfirmDangerous: false },
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check", timeout: 5 }] }] },
  mcpServers: { git: { command: "git-mcp", args: ["--stdio"], env: { A: "b" } }, web: { url: "https://x.example" } },
  sandbox: "bwrap",
  model: "anthropic/some-model",
  concurrency: "partition",
  gates: { tasks: true, userType: "internal" },
  discovery: { command: ["list-tools"], callCommand: "call-tool" },
  flow: "enforce",
  budgets: { resultChars: 5000, batchChars: 9000, tools: { exec: 100 } },
};

describe("parseSettings", () => {
  it("V09 reads every key of the contract into one form: names canonical, folders absolute", () => {
    const layer = parse(everything, { resolvePath: (path) => `/home/u/${path}` });
    expect(layer.problems).toEqual([]);
    expect(layer.settings).toMatchObject({
      defaultMode: "acceptEdits",
      additionalDirectories: ["/home/u/../lib"],
      tools: { Glob: { enabled: true, autoExecute: true }, Bash: { enabled: true } },
      bash: { enableSandbox: true, allowedDirectories: ["/home/u/a"], dangerousCommandWhitelist: ["npm publish"] },
      toolAgent: { maxToolCalls: 20 },
      sandbox: { tier: "bwrap" },
      useTools: null,
      budgets: { tools: { Bash: 100 } },
    });
    expect(layer.rules.map(({ behavior, text }) => `${behavior} ${text}`)).toEqual([
      "deny Read(.env)",
      "ask Bash(git push *)",
      "allow Bash(npm test *)",
    ]);
  });

  it("V09 unknown keys are errors with the nearest one, at any depth", () => {
    expect(complaints({ permission: {} }).permission).toContain('Did you mean "permissions"?');
    expect(complaints({ permissions: { alow: [] } })["permissions.alow"]).toContain('Did you mean "allow"?');
    expect(complaints({ tools: { Bash: { enable: true } } })["tools.Bash.enable"]).toContain('"enabled"');
    expect(complaints({ hooks: { PreTolUse: [] } })["hooks.PreTolUse"]).toContain('"PreToolUse"');
    expect(complaints({ xyzzy: 1 }).xyzzy).toContain("Known keys: permissions");
    expect(hasErrors(parse(JSON.parse('{"gates": {"__proto__": true}}')).problems)).toBe(true);
    expect(hasErrors(parse(JSON.parse('{"__proto__": {"model": "x/y"}}')).problems)).toBe(true);
  });

  it.each([
    [{ enableToolCalls: "no" }, "enableToolCalls", "must be true or false, not a text"],
    [{ permissions: { deny: "Bash" } }, "permissions.deny", "must be a list of strings, not a text"],
    [{ permissions: { deny: [1] } }, "permissions.deny.0", "must be a text, not a whole number"],
    [{ permissions: { deny: [" "] } }, "permissions.deny.0", "is empty"],
    [{ permissions: { defaultMode: "yollo" } }, "permissions.defaultMode", 'Did you mean "yolo"?'],
    [{ policy: { profile: "coder" } }, "policy.profile", "messaging"],
    [{ useTools: "Read" }, "useTools", "must be a list of strings or null"],
    [{ sandbox: true }, "sandbox", '"bwrap"'],
    [{ toolAgent: { maxToolCalls: 0 } }, "toolAgent.maxToolCalls", "Use 1 or more"],
    [{ toolAgent: { maxToolCalls: 1.5 } }, "toolAgent.maxToolCalls", "must be a whole number"],
    [{ discovery: { command: [] } }, "discovery.command", "is an empty list"],
    [{ mcpServers: { a: { command: "x", url: "https://y" } } }, "mcpServers.a", "exactly one of command and url"],
    [{ mcpServers: { a: {} } }, "mcpServers.a", "exactly one of command and url"],
    [{ hooks: { Stop: [{ hooks: [{ command: "x" }] }] } }, "hooks.Stop.0.hooks.0", 'needs "type"'],
    [{ toolAgent: {}, toolAgentSettings: {} }, "toolAgentSettings", "Keep one"],
    [[], "", "must be an object, not a list"],
    [null, "", "must be an object, not null"],
  ])("V09 %j is an error that says what is expected", (value, path, words) => {
    const layer = parse(value);
    expect(hasErrors(layer.problems)).toBe(true);
    expect(complaints(value)[path]).toContain(words);
  });

  it("V09 unknown tools, groups and rules that cannot be read are errors with the place", () => {
    expect(complaints({ policy: { deny: ["Read", "group:rutime"] } })["policy.deny.1"]).toContain('"group:runtime"');
    expect(complaints({ tools: { Baash: { enabled: false } } })["tools.Baash"]).toContain('"Bash"');
    expect(complaints({ useTools: ["Read", "Wrte"] })["useTools.1"]).toContain('"Write"');
    expect(complaints({ budgets: { tools: { Grepp: 5 } } })["budgets.tools.Grepp"]).toContain('"Grep"');
    expect(complaints({ permissions: { deny: ["Bassh"] } })["permissions.deny.0"]).toContain("Bash");
    expect(complaints({ permissions: { deny: ["write"] } })["permissions.deny.0"]).toContain("write(");
    expect(complaints({ permissions: { allow: ["*"] } })["permissions.allow.0"]).toBeDefined();
    const names = withBuiltinNames([{ name: "Baash" }]);
    expect(complaints({ tools: { Baash: { enabled: false } } }, { names })).toEqual({});
  });

  it("V09 problems carry the line where the reader kept it, and so do rules", () => {
    const lines: Record<string, number> = { "permissions.deny.0": 7, "permissions.deny.1": 8 };
    const layer = parse(
      { permissions: { deny: ["Read(.env)", "Bassh"] } },
      { lineOf: (path) => lines[path.join(".")], file: "/p/s.json" },
    );
    expect(layer.problems).toMatchObject([{ severity: "error", file: "/p/s.json", line: 8 }]);
    expect(layer.rules).toEqual([{ behavior: "deny", origin: "user", file: "/p/s.json", line: 7, text: "Read(.env)" }]);
  });

  it.each([{ permissions: { allow: ["Bash"] }, typo: 1 }, { permissions: { allow: ["Bash", "Bassh"] } }])(
    "V09 a broken file opens nothing, and its denied calls stay denied: %j",
    (broken) => {
      const value = { ...broken, permissions: { ...broken.permissions, deny: ["Read(.env)"] }, useTools: null };
      const layer = parse(value);
      expect(layer.rules.map(({ behavior }) => behavior)).toEqual(["deny"]);
      expect(layer.settings).toEqual({});
      const sound = parse({ permissions: { allow: ["Read"], defaultMode: "yolo" } }, { origin: "cli" });
      const merged = mergeSettings([sound, layer], { trusted: true });
      expect(hasErrors(merged.problems)).toBe(true);
      expect(merged.rules.filter(({ behavior }) => behavior === "allow")).toEqual([]);
      expect(merged.settings).toEqual({
        enableToolCalls: false,
        defaultMode: "dontAsk",
        toolPolicies: [{ allow: [] }],
      });
    },
  );

  it("V09 a mode that this machine cannot hold is refused, never weakened", () => {
    const value = { permissions: { defaultMode: "undoable" } };
    expect(complaints(value)["permissions.defaultMode"]).toContain("is not supported");
    expect(parse(value, { modes: ["undoable"] }).settings.defaultMode).toBe("undoable");
  });

  it("V06 `tools` with profile, allow and deny is read as policy, beside settings of single tools", () => {
    const layer = parse({
      tools: { profile: "coding", allow: ["group:fs", "group:runtime"], deny: ["exec"], Read: { enabled: false } },
    });
    expect(layer.problems).toEqual([]);
    expect(layer.settings.policy).toEqual({
      profile: "coding",
      allow: ["group:fs", "group:runtime"],
      deny: ["exec"],
    });
    expect(layer.settings.tools).toEqual({ Read: { enabled: false } });
  });

  it("V06 the same key in both spellings is an error, different keys add up", () => {
    const both = { policy: { deny: ["exec"] }, tools: { deny: ["Read"], profile: "coding" } };
    expect(complaints(both)["tools.deny"]).toContain('under "policy"');
    const apart = parse({ policy: { deny: ["exec"] }, tools: { profile: "coding" } });
    expect(apart.settings.policy).toEqual({ profile: "coding", deny: ["exec"] });
  });

  it("V06 the keys of bash may stand under tools.bash; the top level wins", () => {
    const bash = { enableSandbox: true, defaultWorkingDirectory: "top" };
    const { settings } = parse({ bash, tools: { bash: { enableSandbox: false, confirmDangerousCommands: true } } });
    expect(settings.bash).toEqual({ ...bash, confirmDangerousCommands: true });
  });

  it("V06 names under tools.allow and tools.deny are held to the same lists", () => {
    expect(complaints({ tools: { deny: ["exek"] } })["tools.deny.0"]).toContain('"exec"');
  });

  it("V03 two spellings of one tool in a file are an error", () => {
    expect(complaints({ tools: { Bash: { enabled: false }, exec: { enabled: true } } })["tools.exec"]).toContain(
      "same tool",
    );
  });

  it("V09 the published schema accepts and refuses what the reader does", () => {
    const check = Compile(JSON.parse(JSON.stringify(SETTINGS_SCHEMA)));
    expect(check.Check(everything)).toBe(true);
    expect(check.Check({})).toBe(true);
    for (const wrong of [{ permission: {} }, { enableToolCalls: "no" }, { hooks: { Nope: [] } }, { sandbox: true }, []])
      expect(check.Check(wrong)).toBe(false);
  });
});
