import { describe, expect, it } from "vitest";
import { withBuiltinNames } from "../toolset/index.ts";
import { mergeSettings, NO_SETTINGS, parseSettings, type SettingsLayer, type SettingsOrigin } from "./index.ts";

/** With tools that this version has not. */
const names = withBuiltinNames(["session_status", "message", "sessions_list", "REPL"].map((name) => ({ name })));

const layer = (origin: SettingsOrigin, value: object): SettingsLayer =>
  parseSettings(value, { origin, file: `${origin}.json`, names, lineOf: () => 4 });

const merge = (trusted: boolean, ...layers: SettingsLayer[]) => mergeSettings(layers, { trusted });

/** The merged result of one project layer, and the keys that were left out. */
const fromProject = (value: object, trusted = false, base: object = {}) => {
  const { settings, rules, problems } = merge(trusted, layer("user", base), layer("project", value));
  return { settings, rules, ignored: problems.map(({ path }) => path.join(".")), problems };
};

describe("mergeSettings", () => {
  it("V06 single values: managed, cli, local, project, user, regardless of the order of the layers", () => {
    const models = (["user", "project", "local", "cli", "managed"] as const).map((origin) =>
      layer(origin, { model: `m/${origin}` }),
    );
    for (const winner of ["managed", "cli", "local", "project", "user"] as const) {
      expect(merge(true, ...models).settings.model).toBe(`m/${winner}`);
      models.splice(
        models.findIndex(({ origin }) => origin === winner),
        1,
      );
    }
  });

  it.each([true, false])("V06 no layers give the settings that count where there are none (trusted: %s)", (trusted) => {
    expect(merge(trusted)).toEqual(NO_SETTINGS);
  });

  it("V06 rules, directories and hooks add up; a hook that two files name runs once", () => {
    const check = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] };
    const { settings, rules } = merge(
      true,
      layer("user", { permissions: { deny: ["Read(.env)"], additionalDirectories: ["/a"] }, hooks: check }),
      layer("local", { permissions: { allow: ["Bash(ls *)"], additionalDirectories: ["/b", "/a"] }, hooks: check }),
    );
    expect(rules.map(({ origin, text }) => `${origin} ${text}`)).toEqual(["local Bash(ls *)", "user Read(.env)"]);
    expect(settings.additionalDirectories).toEqual(["/b", "/a"]);
    expect(settings.hooks).toEqual(check);
  });

  it("V03 tools merge key by key, the stronger file wins", () => {
    const { settings } = merge(
      true,
      layer("user", { tools: { exec: { enabled: true, autoExecute: true }, Read: { enabled: false } } }),
      layer("local", { tools: { Bash: { enabled: false } } }),
    );
    expect(settings.tools).toEqual({ Bash: { enabled: false, autoExecute: true }, Read: { enabled: false } });
  });

  it("V02 enableToolCalls follows precedence, and false from an untrusted project counts", () => {
    const on = layer("user", { enableToolCalls: true });
    expect(merge(false, on, layer("project", { enableToolCalls: false })).settings.enableToolCalls).toBe(false);
    expect(merge(false, on, layer("cli", { enableToolCalls: false })).settings.enableToolCalls).toBe(false);
    expect(merge(false, layer("managed", { enableToolCalls: false }), on).settings.enableToolCalls).toBe(false);
  });

  it("V06 each file's tool lists stay a filter of their own; only the strongest profile counts", () => {
    const user = layer("user", { policy: { profile: "minimal", allow: ["Read"] } });
    const local = layer("local", { policy: { profile: "coding", allow: ["Bash"], deny: ["exec"] } });
    expect(merge(true, user, local).settings.toolPolicies).toEqual([
      { origin: "local", file: "local.json", profile: "coding", allow: ["Bash"], deny: ["exec"] },
      { origin: "user", file: "user.json", allow: ["Read"] },
    ]);
  });

  it("V09 warnings and errors of every layer come through", () => {
    const { problems } = merge(true, layer("user", { policy: { deny: ["zzz*"] } }), layer("cli", {}));
    expect(problems).toMatchObject([{ severity: "warning", file: "user.json", line: 4 }]);
  });
});

describe("a project that is not trusted", () => {
  it.each([
    [{ permissions: { allow: ["Bash"] } }, "permissions.allow"],
    [{ permissions: { additionalDirectories: ["/"] } }, "permissions.additionalDirectories"],
    [{ permissions: { defaultMode: "acceptEdits" } }, "permissions.defaultMode"],
    [{ permissions: { defaultMode: "bypassPermissions" } }, "permissions.defaultMode"],
    [{ hooks: { SessionStart: [{ hooks: [{ type: "command", command: "x" }] }] } }, "hooks"],
    [{ mcpServers: { evil: { command: "x" } } }, "mcpServers"],
    [{ discovery: { command: "x" } }, "discovery"],
    [{ model: "evil/proxy" }, "model"],
    [{ tools: { Bash: { autoExecute: true } } }, "tools.Bash.autoExecute"],
    [{ tools: { REPL: { enabled: true } } }, "tools.REPL.enabled"],
    [{ sandbox: "none" }, "sandbox.tier"],
    [{ sandbox: { network: true } }, "sandbox.network"],
    [{ bash: { enableSandbox: false } }, "bash.enableSandbox", { bash: { enableSandbox: true } }],
    [{ bash: { confirmDangerousCommands: false } }, "bash.confirmDangerousCommands"],
    [{ bash: { dangerousCommandWhitelist: ["rm"] } }, "bash.dangerousCommandWhitelist"],
    [{ tools: { bash: { allowedDirectories: ["/"] } } }, "bash.allowedDirectories"],
    [{ bash: { defaultWorkingDirectory: "/" } }, "bash.defaultWorkingDirectory"],
    [{ toolAgent: { autoConfirmDangerous: true } }, "toolAgent.autoConfirmDangerous"],
    [{ toolAgent: { maxToolCalls: 1000 } }, "toolAgent.maxToolCalls"],
    [{ toolAgent: { providerId: "evil" } }, "toolAgent.providerId"],
    [{ gates: { browser: true } }, "gates.browser"],
    [{ gates: { userType: "internal" } }, "gates.userType"],
    [{ flow: "off" }, "flow"],
    [{ concurrency: "partition" }, "concurrency"],
    [{ budgets: { resultChars: 1_000_000 } }, "budgets.resultChars"],
    [{ enableToolCalls: true }, "enableToolCalls", { enableToolCalls: false }],
    [{ useTools: null }, "useTools", { useTools: ["Read"] }],
    [{ useTools: ["Read", "Bash"] }, "useTools", { useTools: ["Read"] }],
  ])("V10 cannot loosen: %j is left out with a notice", (value, path, base: object = {}) => {
    const without = merge(false, layer("user", base));
    const { settings, rules, problems } = fromProject(value, false, base);
    expect(settings).toEqual(without.settings);
    expect(rules).toEqual([]);
    expect(problems).toMatchObject([{ severity: "notice", file: "project.json", line: 4 }]);
    expect(problems[0]?.path.join(".")).toBe(path);
    expect(problems[0]?.cure).toContain("haft trust");
  });

  it("V10 can always restrict", () => {
    const { settings, rules, ignored } = fromProject({
      permissions: { deny: ["Bash(rm *)"], ask: ["Read(secrets/**)"], defaultMode: "plan" },
      policy: { profile: "minimal", allow: ["group:fs"], deny: ["exec"] },
      tools: { WebFetch: { enabled: false, autoExecute: false } },
      useTools: ["Read"],
      enableToolCalls: false,
      sandbox: { tier: "bwrap", network: false },
      bash: { enableSandbox: true, confirmDangerousCommands: true },
      toolAgent: { autoConfirmDangerous: false },
      concurrency: "strict",
      gates: { browser: false },
      flow: "enforce",
      budgets: { resultChars: 100 },
    });
    expect(ignored).toEqual([]);
    expect(rules.map(({ behavior }) => behavior)).toEqual(["deny", "ask"]);
    expect(settings).toEqual({
      toolPolicies: [
        { origin: "project", file: "project.json", profile: "minimal", allow: ["group:fs"], deny: ["exec"] },
      ],
      defaultMode: "plan",
      tools: { WebFetch: { enabled: false, autoExecute: false } },
      useTools: ["Read"],
      enableToolCalls: false,
      sandbox: { tier: "bwrap", network: false },
      bash: { enableSandbox: true, confirmDangerousCommands: true },
      toolAgent: { autoConfirmDangerous: false },
      concurrency: "strict",
      gates: { browser: false },
      flow: "enforce",
      budgets: { resultChars: 100 },
    });
  });

  it("V10 cannot move a stricter user's mode, tools or profile", () => {
    const strict = { permissions: { defaultMode: "plan" }, useTools: ["Read"], policy: { profile: "minimal" } };
    const loose = { permissions: { defaultMode: "default" }, useTools: ["Read", "Bash"], policy: { profile: "full" } };
    const { settings, ignored } = fromProject(loose, false, strict);
    expect(settings.defaultMode).toBe("plan");
    expect(settings.useTools).toEqual(["Read"]);
    expect(settings.toolPolicies.map(({ profile }) => profile)).toEqual(["full", "minimal"]);
    expect(ignored).toEqual(["permissions.defaultMode", "useTools"]);
  });

  it.each([
    ["default", "plan", "plan"],
    ["default", "dontAsk", "dontAsk"],
    ["bypassPermissions", "acceptEdits", "acceptEdits"],
    ["acceptEdits", "default", "default"],
    ["plan", "default", "plan"],
    ["plan", "dontAsk", "plan"],
    ["dontAsk", "plan", "dontAsk"],
    ["default", "acceptEdits", "default"],
  ])("V10 the user's mode %s and a project's %s come to %s", (user, project, mode) => {
    const value = { permissions: { defaultMode: project } };
    expect(fromProject(value, false, { permissions: { defaultMode: user } }).settings.defaultMode).toBe(mode);
  });

  it("V10 a single stricter key of the sandbox leaves the user's other keys as they are", () => {
    const { settings } = fromProject({ sandbox: { network: false } }, false, { sandbox: "bwrap" });
    expect(settings.sandbox).toEqual({ tier: "bwrap", network: false });
  });

  it("V10 counts fully once the folder is trusted, except for the question before dangerous commands", () => {
    const value = {
      permissions: { allow: ["Bash(make *)"], defaultMode: "acceptEdits", additionalDirectories: ["/lib"] },
      mcpServers: { a: { command: "a" } },
      bash: { confirmDangerousCommands: false, allowedDirectories: ["/b"] },
    };
    const { settings, rules, problems } = fromProject(value, true);
    expect(rules).toMatchObject([{ behavior: "allow", text: "Bash(make *)", origin: "project", line: 4 }]);
    expect(settings).toMatchObject({
      defaultMode: "acceptEdits",
      additionalDirectories: ["/lib"],
      mcpServers: { a: { command: "a" } },
      bash: { allowedDirectories: ["/b"] },
    });
    expect(settings.bash).not.toHaveProperty("confirmDangerousCommands");
    expect(problems.map(({ severity, path }) => [severity, path.at(-1)])).toEqual([
      ["notice", "confirmDangerousCommands"],
    ]);
  });
});
