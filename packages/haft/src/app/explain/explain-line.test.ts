import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { beforeAll, describe, expect, it } from "vitest";
import { createLineExplainer, type LineExplainer } from "./explain-line.ts";

let explainer: LineExplainer;

beforeAll(async () => {
  const host = createHost({ cwd: process.cwd() });
  explainer = createLineExplainer({ host, tools: await builtinTools(), root: process.cwd() });
});

interface Answer {
  readonly decision: string;
  readonly effects: readonly Record<string, unknown>[];
  readonly rule?: { readonly origin: string; readonly file?: string };
  readonly warnings?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly reason?: string;
}

const explain = async (line: object): Promise<Answer> => (await explainer.explain(JSON.stringify(line), 1)) as Answer;
const decision = async (line: object): Promise<string> => (await explain(line)).decision;

const inW = { cwd: "/w", projectRoot: "/w", home: "/home/u" };
const edit = (path: string) => ({ tool: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } });

describe("the keys of a line that replace settings and machine", () => {
  it("rules, and where they come from", async () => {
    const call = { ...inW, ...edit("/w/src/a.ts") };
    expect(await decision(call)).toBe("ask");
    expect(await decision({ ...call, rules: { allow: ["Edit(/src/**)"] }, ruleSource: "project" })).toBe("allow");
    expect(
      await decision({ ...call, rules: { allow: ["Edit(/src/**)"] }, ruleSource: "project", trusted: false }),
    ).toBe("ask");
    expect((await explain({ ...call, rules: { deny: ["Edit"] }, ruleSource: "managed" })).rule?.origin).toBe("managed");
  });

  it.each([
    ["/w/.haft/settings.json", "project"],
    ["/w/.haft/settings.local.json", "local"],
    ["/home/u/.claude/settings.json", "user"],
    ["/etc/haft/settings.json", "managed"],
    ["/elsewhere/rules.json", "cli"],
  ])("a settings file as the source of rules: %s is %s", async (ruleSource, origin) => {
    const { rule } = await explain({ ...inW, ...edit("a"), rules: { deny: ["Edit"] }, ruleSource });
    expect(rule).toMatchObject({ origin, file: ruleSource });
  });

  it("folders, whether they exist or not", async () => {
    expect((await explain({ ...inW, tool: "Read", input: { file_path: "a" } })).effects[0]).toMatchObject({
      path: "/w/a",
    });
    expect(await decision({ ...inW, tool: "Read", input: { file_path: "/other/a" } })).toBe("ask");
    const more = { ...inW, additionalDirectories: ["/other"], tool: "Read", input: { file_path: "/other/a" } };
    expect(await decision(more)).toBe("allow");
    const home = {
      ...inW,
      tool: "Read",
      input: { file_path: "/home/u/.ssh/id" },
      rules: { deny: ["Read(~/.ssh/**)"] },
    };
    expect(await decision(home)).toBe("deny");
  });

  it("mode and platform", async () => {
    expect(await decision({ ...inW, ...edit("a"), mode: "acceptEdits" })).toBe("allow");
    expect(await decision({ ...inW, ...edit("a"), mode: "plan" })).toBe("deny");
    const folded = { ...inW, tool: "Read", input: { file_path: "/w/SECRET" }, rules: { deny: ["Read(secret)"] } };
    expect(await decision({ ...folded, platform: "linux" })).toBe("allow");
    expect(await decision({ ...folded, platform: "darwin" })).toBe("deny");
  });

  it.each(["allow", "ask", "deny", "permissions"])(
    "F11 rules under the key %s are refused, not passed over",
    async (key) => {
      const answer = await explain({ ...inW, tool: "Bash", input: { command: "ls" }, [key]: ["Bash(ls *)"] });
      expect(answer).toMatchObject({ decision: "deny", error: { message: expect.stringContaining('write "rules"') } });
    },
  );

  it("unknown keys are listed, with the nearest known one, and change nothing", async () => {
    const { decision: answer, warnings } = await explain({ ...inW, ...edit("a"), ruls: {}, x: 1 });
    expect(answer).toBe("ask");
    expect(warnings).toEqual(['unknown key "ruls" was ignored; did you mean "rules"?', 'unknown key "x" was ignored']);
  });

  it("a sandbox changes no decision, and the line is told so", async () => {
    const call = { ...inW, tool: "Bash", input: { command: "make" } };
    expect((await explain({ ...call, sandbox: "none" })).warnings).toBeUndefined();
    const sandboxed = await explain({ ...call, sandbox: "bwrap" });
    expect([sandboxed.decision, sandboxed.warnings?.[0]]).toEqual([
      "ask",
      expect.stringContaining("without a sandbox"),
    ]);
  });
});

describe("tools that this build does not have", () => {
  it.each([
    [
      "an MCP tool",
      { tool: "mcp__github__create_issue" },
      "ask",
      { do: "call", server: "github", tool: "create_issue", basis: "claimed", change: true },
    ],
    [
      "a web page",
      { tool: "WebFetch", input: { url: "https://example.com:8443/x" } },
      "ask",
      { do: "connect", host: "example.com", port: 8443, sends: false },
    ],
    ["an agent", { tool: "Agent", input: { subagent_type: "Explore" } }, "allow", { do: "delegate", agent: "Explore" }],
    [
      "an agent by its older name",
      { tool: "Task", input: { subagent_type: "Explore" } },
      "allow",
      { do: "delegate", agent: "Explore" },
    ],
    [
      "a notebook",
      { tool: "NotebookEdit", input: { notebook_path: "a.ipynb" } },
      "ask",
      { do: "write", path: "/w/a.ipynb" },
    ],
    [
      "several edits at once",
      { tool: "MultiEdit", input: { file_path: "a", edits: [] } },
      "ask",
      { do: "write", path: "/w/a" },
    ],
    ["a search without a provider", { tool: "WebSearch", input: { query: "abc" } }, "ask", { do: "unknown" }],
  ])("%s is decided by its effects", async (_what, line, answer, effect) => {
    const explained = await explain({ ...inW, ...line });
    expect(explained.decision).toBe(answer);
    expect(explained.effects).toContainEqual(expect.objectContaining(effect));
  });

  it.each([
    [{ tool: "mcp__github__get_issue" }, "mcp__github__get_issue"],
    [{ tool: "mcp__github__get_issue" }, "mcp__github"],
    [{ tool: "WebFetch", input: { url: "https://docs.example.com" } }, "WebFetch(domain:docs.example.com)"],
    [{ tool: "Skill", input: { skill: "commit" } }, "Skill(commit)"],
  ])("a rule about %j is heard: %s", async (line, rule) => {
    expect(await decision({ ...inW, ...line })).toBe("ask");
    expect(await decision({ ...inW, ...line, rules: { allow: [rule] } })).toBe("allow");
    expect(await decision({ ...inW, ...line, rules: { allow: [rule], deny: [rule] } })).toBe("deny");
  });

  it("a patch has an effect for every file that it names", async () => {
    const patch =
      "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** End Patch";
    const { effects } = await explain({ ...inW, tool: "apply_patch", input: { input: patch } });
    const writes = effects.filter((effect) => effect.do === "write");
    expect(writes.map(({ path, change }) => [path, change])).toEqual([
      ["/w/a", "create"],
      ["/w/b", "create"],
      ["/w/c", "create"],
      ["/w/d", "delete"],
    ]);
  });

  it("a read-only hint makes a remote tool a reader, and still only a claim", async () => {
    const { effects } = await explain({ ...inW, tool: "mcp__a__b", mcpMeta: { annotations: { readOnlyHint: true } } });
    expect(effects[0]).toMatchObject({ change: false, basis: "claimed" });
  });
});

describe("F29 a rule that concerns nothing", () => {
  const push = { ...inW, tool: "Bash", input: { command: "git push" } };

  it.each([
    ["allow", "*"],
    ["allow", "mcp__*"],
    ["allow", "Bash(run_in_background:true)"],
    ["deny", "Bash(command:git *)"],
    ["deny", "Bash(git push && make)"],
    ["deny", "Stop Task"],
    ["deny", "Read(!x)"],
    ["deny", "WebFetch(example.com)"],
  ])("F29 is passed over with a remark that names the cure: %s %s", async (list, rule) => {
    const { decision: answer, warnings } = await explain({ ...push, rules: { [list]: [rule] } });
    expect(answer).toBe("ask");
    expect(warnings).toEqual([expect.stringMatching(/^rule ".+": .+\. .+\.$/)]);
  });

  it("F29 leaves the other rules in force", async () => {
    expect(await decision({ ...push, rules: { allow: ["*"], deny: ["Read(!x)", "Bash(git *)"] } })).toBe("deny");
  });

  it("F29 a rule that counts for more than it says is remarked on too", async () => {
    const { decision: answer, warnings } = await explain({ ...inW, ...edit("a"), rules: { deny: ["Write(a)"] } });
    expect([answer, warnings?.[0]]).toEqual(["deny", expect.stringContaining("taken as Edit")]);
  });
});

it.each<[string, object]>([
  ["mode", { mode: "weird" }],
  ["cwd", { cwd: "relative" }],
  ["cwd", { cwd: 5 }],
  ["rules", { rules: ["Bash"] }],
  ["rules.alow", { rules: { alow: [] } }],
  ["rules.deny", { rules: { deny: "Bash" } }],
  ["trusted", { trusted: "yes" }],
  ["sandbox", { sandbox: "docker" }],
  ["ruleSource", { ruleSource: "somewhere" }],
  ["dialect", { dialect: "gemeni" }],
  ["additionalDirectories", { additionalDirectories: [1] }],
  ["mcpMeta", { mcpMeta: 1 }],
])("a wrong %s makes the line unreadable, which is a no", async (field, line) => {
  const answer = await explain({ tool: "Read", input: { file_path: "a" }, ...line });
  expect(answer).toMatchObject({ line: 1, decision: "deny", error: { code: "invalid_input" } });
  expect(answer.error?.message).toContain(field.split(".")[0]);
});

it("the same line always has the same answer, after any other lines", async () => {
  const first = await explain({ ...inW, ...edit("a"), rules: { allow: ["Edit(/w/**)"] } });
  for (let turn = 0; turn < 300; turn++) await explain({ ...inW, ...edit("a"), rules: { deny: [`Edit(x${turn})`] } });
  expect(await explain({ ...inW, ...edit("a"), rules: { allow: ["Edit(/w/**)"] } })).toEqual(first);
});
