import { readFileSync } from "node:fs";
import type { HooksSettings } from "@haft/core/policy";
import { run, unknown, write } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { guard, settingsHooks } from "../../test/support/hooks.ts";

const deny = (reason: string) => ({ type: "command" as const, command: `echo '${reason}' >&2; exit 2` });
const says = (answer: object) => ({ type: "command" as const, command: `echo '${JSON.stringify(answer)}'` });
const pre = (hookSpecificOutput: object) => says({ hookSpecificOutput });

async function trying<T>(settings: HooksSettings, use: (hooks: ReturnType<typeof settingsHooks>) => Promise<T>) {
  const hooks = settingsHooks(settings);
  try {
    return await use(hooks);
  } finally {
    hooks.remove();
  }
}

describe("hooks of the settings", () => {
  it("E23 a session without hooks has none: nothing is asked, nothing is in front of the people", () => {
    const person = { name: "user", ask: async () => undefined };
    const hooks = settingsHooks({});
    expect([hooks.hooks, hooks.problems, hooks.askers([person])]).toEqual([[], [], [person]]);
    hooks.remove();
  });

  it.each([
    [undefined, "Read", true],
    ["", "Read", true],
    ["*", "Read", true],
    ["Read", "Read", true],
    ["Write | Read", "Read", true],
    ["Write,Edit", "Read", false],
    ["Rea", "Read", false],
    ["Rea.", "Read", true],
    ["ead$", "Read", true],
    ["^ead", "Read", false],
    ["Task", "Agent", true],
    ["mcp__git__.*", "mcp__git__log", true],
    ["mcp__git", "mcp__git__log", false],
    ["mcp__git__log", "mcp__git__log", true],
    ["(", "Read", true],
  ])("E23 matcher %j, tool %s: %s", async (matcher, tool, runs) => {
    const settings = { PreToolUse: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [deny("x")] }] };
    await trying(settings, async ({ before }) => {
      const said = await before({ tool, identity: { name: tool, origin: "builtin" } });
      expect(said?.decision).toBe(runs ? "deny" : undefined);
    });
  });

  it("E23 a matcher that misspells a tool is said; names of a host's own tools and of sessions are not", async () => {
    const settings: HooksSettings = {
      PreToolUse: ["Bsah", "Edit|Wirte", "bash", "Deploy", "mcp__git__log", "Rea.", "Task"].map((matcher) => ({
        matcher,
        hooks: [deny("x")],
      })),
      SessionStart: [{ matcher: "Reed", hooks: [deny("x")] }],
    };
    await trying(settings, async ({ problems }) => {
      expect(problems.map(({ message, cure }) => `${message} ${cure}`)).toEqual([
        expect.stringMatching(/^hooks\.PreToolUse\.0\.matcher: .*"Bsah".*Did you mean "Bash"/),
        expect.stringMatching(/^hooks\.PreToolUse\.1\.matcher: .*"Wirte".*Did you mean "Write"/),
      ]);
    });
  });

  it("E23 a hook that will not run as written is named when the settings are loaded, with a cure", async () => {
    const settings: HooksSettings = {
      PreToolUse: [
        {
          matcher: "mcp__git",
          hooks: [{ type: "prompt", prompt: "is it safe?" }, { type: "agent" }, { type: "mcp_tool" }],
        },
        { matcher: "(", hooks: [{ type: "http", url: "ftp://x" }, { type: "command" }] },
        { hooks: [{ ...deny("x"), if: "Bsh(" }] },
      ],
      Stop: [{ hooks: [{ ...deny("x"), if: "Bash" }] }],
      DirectoryAdded: [{ hooks: [deny("x")] }],
    };
    await trying(settings, async ({ problems }) => {
      expect(
        problems.map(({ path, message }) => `${path.join(".")}: ${message.split(": ").slice(1).join(": ")}`),
      ).toEqual([
        expect.stringMatching(/PreToolUse\.0\.matcher: .*exact name/),
        expect.stringMatching(/PreToolUse\.0\.hooks\.0: .*type prompt/),
        expect.stringMatching(/PreToolUse\.0\.hooks\.1: .*type agent/),
        expect.stringMatching(/PreToolUse\.0\.hooks\.2: .*type mcp_tool/),
        expect.stringMatching(/PreToolUse\.1\.matcher: .*not a regular expression/),
        expect.stringMatching(/PreToolUse\.1\.hooks\.0: .*not an http address/),
        expect.stringMatching(/PreToolUse\.1\.hooks\.1: .*no command/),
        expect.stringMatching(/PreToolUse\.2\.hooks\.0: .*runs for every call/),
        expect.stringMatching(/Stop\.0\.hooks\.0: .*never runs/),
        expect.stringMatching(/DirectoryAdded: .*never happens/),
      ]);
      expect(problems.every(({ cure, severity }) => cure !== "" && severity === "warning")).toBe(true);
    });
  });

  it("E23 a guard without a command or an address stands in the way", async () => {
    for (const broken of [{ type: "command" as const }, { type: "http" as const, url: "nowhere" }])
      await trying({ PreToolUse: [{ hooks: [broken] }] }, async ({ before }) => {
        expect(await before()).toMatchObject({ decision: "ask" });
      });
  });

  it("E24 among several hooks deny beats defer beats ask beats allow, in any order of their ends", async () => {
    const hook = (permissionDecision: string, delay = 0) => ({
      type: "command" as const,
      command: `sleep ${delay}; ${pre({ permissionDecision, permissionDecisionReason: permissionDecision }).command}`,
    });
    const decided = (...hooks: ReturnType<typeof hook>[]) =>
      trying({ PreToolUse: [{ hooks }] }, async ({ before }) => (await before())?.decision);
    expect(await decided(hook("allow"), hook("deny", 0.1), hook("ask"))).toBe("deny");
    expect(await decided(hook("ask"), hook("defer", 0.1), hook("allow"))).toBe("defer");
    expect(await decided(hook("ask", 0.1), hook("allow"))).toBe("ask");
    expect(await decided(hook("allow"))).toBe("allow");
  });

  it("E23 hooks run side by side, the same handler once, and the question names who asked", async () => {
    // It says no unless the last one comes while it waits.
    const waits = "echo x >> runs; for i in $(seq 200); do [ -e met ] && exit 0; sleep 0.05; done; exit 2";
    const first = { type: "command" as const, command: waits };
    const settings = {
      PreToolUse: [
        { matcher: "Read", hooks: [first, { type: "command" as const, command: "true", args: [] }] },
        { matcher: "Re.d", hooks: [first, { ...pre({ permissionDecision: "ask" }) }] },
        { matcher: "", hooks: [{ type: "command" as const, command: "touch met" }] },
      ],
    };
    await trying(settings, async ({ before, cwd }) => {
      const said = await before();
      expect(said).toMatchObject({ decision: "ask", by: expect.stringContaining("permissionDecision") });
      expect(readFileSync(`${cwd}/runs`, "utf8")).toBe("x\n");
    });
  });

  it("E23 `if` looks at paths and unknown effects too; one that cannot be read runs for every call", async () => {
    const decided = (rule: string, effects: Parameters<ReturnType<typeof settingsHooks>["event"]>[0]) =>
      trying(guard("exit 2", { if: rule }), async ({ before }) => (await before(effects))?.decision === "deny");
    const at = (path: string) => ({ effects: [write(path)] });
    expect(await decided("Edit(//tmp/**)", at("/tmp/x"))).toBe(true);
    expect(await decided("Edit(//tmp/**)", at("/etc/x"))).toBe(false);
    const command = { argv: ["rm", "x"], text: "rm x", cwd: "/" };
    expect(await decided("Bash(rm *)", { effects: [run(command)] })).toBe(true);
    expect(await decided("Bash(git *)", { effects: [run(command)] })).toBe(false);
    expect(await decided("Bash(git *)", { effects: [unknown("no idea")] })).toBe(true);
    expect(await decided("not a rule", { effects: [] })).toBe(true);
  });

  it("E23 with args no shell looks at the words; only the two folders are filled in", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of the protocol
    const args = ["/dev/stdin", "${HAFT_PROJECT_DIR}/told $HOME; x"];
    await trying(guard("cp", { args }), async ({ before, cwd, notices }) => {
      expect(await before()).toEqual({});
      expect(notices).toEqual([]);
      expect(JSON.parse(readFileSync(`${cwd}/told $HOME; x`, "utf8"))).toMatchObject({ tool_use_id: "c1" });
    });
    await trying(guard("no-such-program", { args: [] }), async ({ before }) => {
      expect(await before()).toMatchObject({ decision: "ask", reason: expect.stringContaining("cannot be started") });
    });
  });

  it("E23 hooks run in the folder of the call, with real files as stdin and stderr, in a session without a terminal", async () => {
    const line = 'cat /dev/stdin > in; [ "$(cut -d" " -f6 /proc/$$/stat)" = $$ ] || exit 0; pwd > /dev/stderr; exit 2';
    await trying(guard(line), async ({ before, cwd }) => {
      expect(await before({ cwd: `${cwd}/src` })).toMatchObject({ decision: "deny", reason: `${cwd}/src` });
      expect(JSON.parse(readFileSync(`${cwd}/src/in`, "utf8"))).toMatchObject({ cwd: `${cwd}/src`, tool_name: "Read" });
    });
  });

  it("E23 a hook reads the event as one line of JSON", async () => {
    const hooks = settingsHooks(guard(`read -r line; case "$line" in *'"tool_name":"Read"'*'}') exit 2;; esac`));
    expect(await hooks.before({ input: { file_path: "a\nb" } })).toMatchObject({ decision: "deny" });
    hooks.remove();
  });

  it("E24 texts of hooks are cut at 10,000 characters, and say so", async () => {
    const line = `printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' $(head -c 12000 /dev/zero | tr '\\0' x)`;
    await trying(guard(line), async ({ before }) => {
      const { context = "" } = (await before()) ?? {};
      expect(context).toMatch(/^x{10000}\n\[2,000 more characters/);
    });
  });

  it("E23 once means one time; async decides nothing and is not waited for; closing ends it", async () => {
    await trying(guard("exit 2", { once: true }), async ({ before }) => {
      expect([(await before())?.decision, (await before())?.decision]).toEqual(["deny", undefined]);
    });
    await trying(guard("sleep 60; exit 2", { async: true }), async ({ before, close }) => {
      const started = performance.now();
      expect(await before()).toBeUndefined();
      expect(performance.now() - started).toBeLessThan(patience(1000));
      close();
    });
  });

  it("E24 systemMessage reaches the person and not the model", async () => {
    await trying({ PreToolUse: [{ hooks: [says({ systemMessage: "careful" })] }] }, async ({ before, notices }) => {
      expect(await before()).toEqual({});
      expect(notices).toMatchObject([{ kind: "message", text: "careful" }]);
    });
  });
});
