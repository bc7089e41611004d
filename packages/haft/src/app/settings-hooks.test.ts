import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";
import type { Notice } from "./notice.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace whose user settings hold these hooks. */
async function withHooks(hooks: object, options: HaftOptions = {}, file: "user" | "project" = "user") {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-hooks-")));
  folders.push(base);
  const cwd = join(base, "work");
  const place = file === "user" ? join(base, "home/.config/haft") : join(cwd, ".haft");
  mkdirSync(place, { recursive: true });
  mkdirSync(join(base, "home"), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(place, "settings.json"), JSON.stringify({ hooks }));
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, "b.txt"), "two\n");
  const notices: Notice[] = [];
  const haft = await createHaft({
    cwd,
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: { XDG_CONFIG_HOME: join(base, "home/.config") },
    onNotice: (notice) => notices.push(notice),
    ...options,
  });
  return { haft, cwd, base, notices };
}

const command = (line: string, more: object = {}) => ({ type: "command", command: line, ...more });
const on = (matcher: string, ...hooks: object[]) => [{ matcher, hooks }];
const says = (answer: object) => command(`echo '${JSON.stringify(answer)}'`);
const pre = (specific: object) => says({ hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } });
const textOf = (result: Result) => contentsText(result.content);
const read = (path: string) => ["Read", { file_path: path }] as const;

describe("hooks of the settings, through the whole pipeline", () => {
  it("E24 a hook blocks a call, by exit code 2 or as JSON; its reason reaches the model and nothing ran", async () => {
    for (const hook of [
      command("echo 'not this file' >&2; exit 2"),
      pre({ permissionDecision: "deny", permissionDecisionReason: "not this file" }),
      says({ decision: "block", reason: "not this file" }),
    ]) {
      const { haft, cwd } = await withHooks({ PreToolUse: on("Write", hook) }, { mode: "acceptEdits" });
      const result = await haft.call("Write", { file_path: "new.txt", content: "x" });
      expect(result.error).toMatchObject({ code: "denied_by_hook", message: "not this file" });
      expect(existsSync(join(cwd, "new.txt"))).toBe(false);
      expect((await haft.call(...read("a.txt"))).error).toBeUndefined();
    }
  });

  it("E24 a hook makes an allowed call ask, and the question says why", async () => {
    const asked: string[] = [];
    const hook = pre({ permissionDecision: "ask", permissionDecisionReason: "look twice" });
    const ask: HaftOptions["ask"] = async ({ why }) => {
      asked.push(why);
      return { behavior: "allow" };
    };
    const { haft } = await withHooks({ PreToolUse: on("Read", hook) }, { ask });
    expect(textOf(await haft.call(...read("a.txt")))).toContain("one");
    const guarded = await withHooks({ PreToolUse: on("Write", hook) }, { ask });
    await guarded.haft.call("Write", { file_path: "n.txt", content: "x" });
    expect(asked).toEqual([
      expect.stringMatching(/^look twice \(asked by hook "echo .*"\)$/),
      expect.stringMatching(/^Mode default asks before .* look twice \(asked by hook "echo .*"\)$/),
    ]);
  });

  it("E24 a hook's yes answers what only the default asks, and never beats a deny or an ask rule", async () => {
    const hooks = { PreToolUse: on("*", pre({ permissionDecision: "allow" })) };
    const write = async (rules: HaftOptions["rules"]) => {
      const { haft } = await withHooks(hooks, { rules: rules ?? {} });
      return (await haft.call("Write", { file_path: "n.txt", content: "" })).error?.code;
    };
    expect(await write({})).toBeUndefined();
    expect(await write({ deny: ["write(n.txt)"] })).toBe("denied_by_rule");
    expect(await write({ ask: ["write(n.txt)"] })).toBe("needs_approval");
    const { haft } = await withHooks(hooks);
    const guarded = await haft.call("Write", { file_path: ".git/hooks/pre-commit", content: "" });
    expect(guarded.error?.code).toBe("needs_approval");
  });

  it("E24 replaced input is what runs; it is parsed again and decided again", async () => {
    const to = (input: object) => ({ PreToolUse: on("Read", pre({ updatedInput: input })) });
    const plain = await withHooks(to({ file_path: "b.txt" }));
    expect(textOf(await plain.haft.call(...read("a.txt")))).toContain("two");
    const denied = await withHooks(to({ file_path: "b.txt" }), { rules: { deny: ["Read(b.txt)"] } });
    expect((await denied.haft.call(...read("a.txt"))).error?.code).toBe("denied_by_rule");
    const wrong = await withHooks(to({ file: 3 }));
    expect((await wrong.haft.call(...read("a.txt"))).error?.code).toBe("invalid_input");
    const outside = await withHooks(
      {
        PreToolUse: on("Read", pre({ permissionDecision: "allow", updatedInput: { file_path: "/etc/hostname" } })),
      },
      { rules: { ask: ["read(//etc/**)"] } },
    );
    expect((await outside.haft.call(...read("a.txt"))).error?.code).toBe("needs_approval");
  });

  it("E24 context of hooks before and after stands behind the result, once", async () => {
    const { haft } = await withHooks({
      PreToolUse: on("Read", pre({ additionalContext: "before" })),
      PostToolUse: on("Read", says({ hookSpecificOutput: { additionalContext: "after" } })),
    });
    expect(textOf(await haft.call(...read("a.txt")))).toMatch(/one.*before\nafter$/s);
  });

  it("E23 hooks after a call see input and output, may object or replace the output; a failure has its own event", async () => {
    const { haft, cwd } = await withHooks({
      PostToolUse: on("Read", command('cat > "$CLAUDE_PROJECT_DIR/ok.json"; echo "check it" >&2; exit 2')),
      PostToolUseFailure: on("Read", command('cat > "$HAFT_PROJECT_DIR/failed.json"')),
    });
    expect(textOf(await haft.call(...read("a.txt"), { id: "r1" }))).toContain("objects: check it");
    await haft.call(...read("none.txt"));
    const told = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));
    expect(told("ok.json")).toMatchObject({
      session_id: haft.session.id,
      transcript_path: haft.session.path,
      cwd,
      permission_mode: "default",
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: { file_path: join(cwd, "a.txt") },
      tool_use_id: "r1",
      tool_response: expect.anything(),
      duration_ms: expect.any(Number),
    });
    expect(told("failed.json")).toMatchObject({ hook_event_name: "PostToolUseFailure", is_interrupt: false });
    expect(told("failed.json").error).toContain("none.txt");

    const replaced = await withHooks({
      PostToolUse: on("Bash", says({ hookSpecificOutput: { updatedToolOutput: 7 } })),
    });
    const kept = textOf(await replaced.haft.call("Bash", { command: "echo kept" }));
    expect(kept).toMatch(/kept.*does not fit/s);
  });

  // Documented: leading assignments are looked past, every part of a compound and every substitution is looked at,
  // and what cannot be parsed counts.
  const COMMANDS: readonly [string, boolean][] = [
    ["git status", true],
    ["git log --oneline | head -3", true],
    ["ls", false],
    ["echo git", false],
    ["echo hi && git diff", true],
    ["cd . ; git branch", true],
    ["FOO=1 git status", true],
    ["echo $(git rev-parse HEAD)", true],
    ["echo `git config -l`", true],
    ["gitk --version", false],
    ["cat a.txt | grep one", false],
    ["true || git fetch", true],
    ["timeout 5 git status", true],
    ["sh -c 'git status'", true],
    ["/usr/bin/git status", true],
    ["grep git a.txt", false],
    ["git", true],
    ["echo 'git push' > out.txt", false],
    ["if true; then git status; fi", true],
    ["echo 'unbalanced", true],
  ];

  it("E23 A21 `if: Bash(git *)` runs the hook for just the commands that run git, of 20 with compounds", async () => {
    const counting = command("echo x >> ../runs", { if: "Bash(git *)" });
    const { haft, base } = await withHooks(
      { PreToolUse: on("Bash", counting) },
      { mode: "bypassPermissions", ask: async () => ({ behavior: "deny" }) },
    );
    const runs = () => (existsSync(join(base, "runs")) ? readFileSync(join(base, "runs"), "utf8").length / 2 : 0);
    const seen: [string, boolean][] = [];
    for (const [line] of COMMANDS) {
      const before = runs();
      await haft.call("Bash", { command: line });
      seen.push([line, runs() > before]);
    }
    expect(seen).toEqual(COMMANDS);
    expect(runs()).toBe(COMMANDS.filter(([, hit]) => hit).length);
    await haft.call(...read("a.txt"));
    expect(runs()).toBe(COMMANDS.filter(([, hit]) => hit).length);
  });

  it("E23 continue: false ends the turn: the call does not run, and later calls of the message neither", async () => {
    const hook = says({ continue: false, stopReason: "enough" });
    const { haft } = await withHooks({ PreToolUse: on("Write", hook) }, { mode: "acceptEdits", concurrency: "strict" });
    const write = (id: string) => ({ id, tool: "Write", input: { file_path: `${id}.txt`, content: "" } });
    const [first, second] = await haft.run([write("1"), write("2")]);
    expect(first).toMatchObject({ status: "denied", stop: "enough" });
    expect(second?.status).toBe("cancelled");
  });

  it("E23 PostToolBatch runs once for a message, with all its calls, and may end the turn", async () => {
    const { haft, cwd } = await withHooks({
      PostToolBatch: [{ hooks: [command(`cat >> batches.json; echo '{"decision":"block","reason":"stop here"}'`)] }],
    });
    const outcomes = await haft.run(["a", "b"].map((id) => ({ id, tool: "Read", input: { file_path: `${id}.txt` } })));
    expect(outcomes.map(({ stop }) => stop)).toEqual([undefined, "stop here"]);
    const told = JSON.parse(readFileSync(join(cwd, "batches.json"), "utf8"));
    expect(told.tool_calls.map((call: { tool_use_id: string }) => call.tool_use_id)).toEqual(["a", "b"]);
    expect(told.tool_calls[1]).toMatchObject({ tool_name: "Read", tool_response: expect.stringContaining("two") });
  });

  it("E24 a guard that fails asks, and is written down; hooks.onFailure of the settings says otherwise", async () => {
    const failing = (more: object) => withHooks({ PreToolUse: on("Read", command("exit 1")), ...more });
    const { haft, notices } = await failing({});
    expect((await haft.call(...read("a.txt"))).error?.code).toBe("needs_approval");
    expect(notices).toMatchObject([{ code: "hook_failure", source: 'PreToolUse hook "exit 1"' }]);
    expect(readFileSync(haft.session.path!, "utf8")).toMatch(/"t":"notice",[^{}]*"code":"hook_failure"/);
    const denying = await failing({ onFailure: "deny" });
    expect((await denying.haft.call(...read("a.txt"))).error?.code).toBe("denied_by_hook");
    const passing = await failing({ onFailure: "pass" });
    expect((await passing.haft.call(...read("a.txt"))).error).toBeUndefined();
    await expect(failing({ onFailure: "allow" })).rejects.toThrow(/onFailure.*pass/s);
  });

  it("E23 hooks of a project run only when the folder is trusted", async () => {
    const hooks = { PreToolUse: on("*", command("touch ran; exit 2")) };
    const run = async (trusted: boolean) => {
      const { haft, cwd } = await withHooks(hooks, { trusted }, "project");
      const { error } = await haft.call(...read("a.txt"));
      return { code: error?.code, ran: existsSync(join(cwd, "ran")), notices: haft.notices.length };
    };
    expect(await run(false)).toEqual({ code: undefined, ran: false, notices: 1 });
    expect(await run(true)).toEqual({ code: "denied_by_hook", ran: true, notices: 0 });
  });

  it("E23 a tool inside a narrowed Haft meets the same hooks, and they learn which agent it is", async () => {
    const { haft, cwd } = await withHooks({ PreToolUse: on("Read", command("cat > told.json")) });
    const agent = { id: "helper-1", name: "helper", parent: "main" };
    await haft.with({ tools: ["Read"], agent, mode: "plan" }).call(...read("a.txt"));
    const told = JSON.parse(readFileSync(join(cwd, "told.json"), "utf8"));
    expect(told).toMatchObject({ agent_id: "helper-1", agent_type: "helper", permission_mode: "plan" });
  });

  it("F12 a PermissionRequest hook answers for a person, but not where only a person may: a removal beyond repair", async () => {
    const yes = says({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } });
    const { haft, notices } = await withHooks({ PermissionRequest: on("Bash", yes) }, { rules: { allow: ["Bash"] } });
    // rm itself refuses to remove ".", should this ever run.
    expect((await haft.call("Bash", { command: "rm -r ." })).error?.code).toBe("needs_approval");
    expect(JSON.stringify(notices)).toContain("this needs confirmation");
    expect((await haft.call("Bash", { command: "touch .envrc" })).error).toBeUndefined();
  });
});
