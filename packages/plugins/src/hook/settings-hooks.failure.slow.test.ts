import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import type { HooksSettings } from "@haft/core/policy";
import { describe, expect, it, vi } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { guard, settingsHooks } from "../../test/support/hooks.ts";

async function outcome(settings: HooksSettings) {
  const hooks = settingsHooks(settings);
  try {
    const said = await hooks.before();
    return { said, notices: hooks.notices, cwd: hooks.cwd };
  } finally {
    hooks.remove();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX]/.test(stat);
  } catch {
    return false;
  }
};

describe("guards that fail", () => {
  it.each([
    ["exits 1 without a word", "exit 1", /exit code 1/],
    ["exits 1 and complains", "echo 'no python here' >&2; exit 1", /exit code 1 \(no python here\)/],
    ["is a script that is not there", "./no-such-script.sh", /exit code 127/],
    ["dies of a signal", "kill -SEGV $$", /SIGSEGV/],
    ["prints broken JSON", `echo '{"decision": "block"'`, /broken JSON/],
    ["prints junk that begins as JSON", "echo '{{{'", /broken JSON/],
    ["prints other words before its answer", `echo debug; echo '{"decision":"block"}'`, /other text before the JSON/],
    ["says a word that is none", `echo '{"hookSpecificOutput":{"permissionDecision":"denied"}}'`, /must be one of/],
    ["misspells a field", `echo '{"hookSpecificOutput":{"permisionDecision":"deny"}}'`, /did it mean/],
    ["misspells it in the wrong place", `echo '{"permisionDecision":"deny"}'`, /did it mean .*hookSpecificOutput/],
    ["misspells it behind other words", `echo hi; echo '{"permisionDecision":"deny"}'`, /other text before the JSON/],
    ["answers another event", `echo '{"hookSpecificOutput":{"hookEventName":"Stop"}}'`, /answers Stop/],
    ["replaces the input by a text", `echo '{"hookSpecificOutput":{"updatedInput":"x"}}'`, /must be an object/],
    ["prints what is not UTF-8", String.raw`printf '{"reason":"\377"}'`, /not UTF-8/],
    [
      "says yes after its no",
      `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}'`,
      /a key of its JSON is repeated/,
    ],
    [
      "answers twice in one",
      `echo '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}'`,
      /a key of its JSON is repeated/,
    ],
    [
      "says its no in the wrong place",
      `echo '{"permissionDecision":"deny"}'`,
      /its place is "hookSpecificOutput\.permission/,
    ],
    [
      "says its no as for another event",
      `echo '{"hookSpecificOutput":{"decision":{"behavior":"deny"}}}'`,
      /"hookSpecificOutput\.decision", which decides nothing here/,
    ],
    ["gives a list", `echo '{"hookSpecificOutput":[]}'`, /must be an object/],
  ])("E24 one that %s makes the call ask, and says so aloud", async (_, line, why) => {
    const { said, notices } = await outcome(guard(line));
    expect(said).toMatchObject({ decision: "ask", reason: expect.stringMatching(why) });
    expect(notices).toMatchObject([{ event: "PreToolUse", kind: "failure", text: expect.stringMatching(why) }]);
  });

  it("E24 one that hangs is stopped when its timeout was reached, its children with it", async () => {
    const started = performance.now();
    const hooks = settingsHooks(guard("sleep 60 & echo $! > child; wait", { timeout: 1 }));
    const said = await hooks.before();
    expect(performance.now() - started).toBeLessThan(patience(3000));
    expect(said).toMatchObject({ decision: "ask", reason: expect.stringContaining("within 1 s") });
    expect(isAlive(Number(readFileSync(`${hooks.cwd}/child`, "utf8")))).toBe(false);
    hooks.remove();
  });

  it("E24 one that hangs is ended with what left its process group, and nobody waits for that", async () => {
    const started = performance.now();
    const hooks = settingsHooks(guard("setsid sh -c 'echo $$ > child; sleep 30' & sleep 60", { timeout: 1 }));
    expect(await hooks.before()).toMatchObject({ decision: "ask", reason: expect.stringContaining("within 1 s") });
    expect(performance.now() - started).toBeLessThan(patience(4000));
    const child = Number(readFileSync(`${hooks.cwd}/child`, "utf8"));
    // Killed it is at once; on a busy machine it takes a moment to be gone.
    await expect.poll(() => isAlive(child)).toBe(false);
    hooks.remove();
  });

  it("E24 one that leaves a child behind which holds its output is not waited for, and the child not ended", {
    tags: ["smoke"],
  }, async () => {
    const started = performance.now();
    const hooks = settingsHooks(guard("sleep 30 & echo $! > child; exit 2"));
    expect(await hooks.before()).toMatchObject({ decision: "deny" });
    expect(performance.now() - started).toBeLessThan(patience(2000));
    const child = Number(readFileSync(`${hooks.cwd}/child`, "utf8"));
    expect(isAlive(child)).toBe(true);
    process.kill(child);
    hooks.remove();
  });

  it("E24 twice 100 MB of output are not kept; exit code 2 behind them still blocks", async () => {
    const flood = "head -c 100000000 /dev/zero | tr '\\0' x";
    const before = process.memoryUsage().rss;
    const { said } = await outcome(guard(`${flood}; exit 0`));
    expect(said).toMatchObject({ decision: "ask", reason: expect.stringContaining("too much") });
    expect((await outcome(guard(`${flood}; echo no >&2; exit 2`))).said).toMatchObject({
      decision: "deny",
      reason: "no",
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it("E24 one that starts many others and hangs takes them all with it", async () => {
    const hooks = settingsHooks(
      guard("for i in $(seq 40); do sleep 60 & echo $! >> children; done; wait", { timeout: 1 }),
    );
    expect(await hooks.before()).toMatchObject({ decision: "ask" });
    const children = readFileSync(`${hooks.cwd}/children`, "utf8").trim().split("\n").map(Number);
    expect([children.length, children.filter(isAlive)]).toEqual([40, []]);
    hooks.remove();
  });

  it("E24 one that never reads its input answers all the same, however much that is", async () => {
    const hooks = settingsHooks(guard("echo no >&2; exit 2"));
    const input = { file_path: "a.txt", text: "x".repeat(20_000_000) };
    expect(await hooks.before({ input })).toMatchObject({ decision: "deny", reason: "no" });
    hooks.remove();
  });

  it("E24 an answer of many levels, or of more than is read, is none and harms nothing", async () => {
    const nested = `printf '{"systemMessage":'; head -c 3000000 /dev/zero | tr '\\0' '['`;
    const huge = `printf '{"reason":"'; head -c 9000000 /dev/zero | tr '\\0' x; echo '"}'`;
    expect((await outcome(guard(nested))).said).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining("JSON"),
    });
    expect((await outcome(guard(huge))).said).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining("too much"),
    });
  });

  it("E24 exit code 2 blocks with any output, and beats an allow", async () => {
    for (const print of [
      "echo '{broken'",
      `echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"x":1}}}'`,
    ]) {
      const { said } = await outcome(guard(`${print}; echo stop >&2; exit 2`));
      expect(said).toEqual({ decision: "deny", reason: "stop", by: expect.any(String) });
    }
    const json = `echo '{"decision":"block","reason":"from JSON"}'; echo stop >&2; exit 2`;
    expect((await outcome(guard(json))).said).toMatchObject({ decision: "deny", reason: "from JSON" });
  });

  it("E24 with another exit code sound JSON decides alone", async () => {
    const deny = `echo '{"decision":"block","reason":"no"}'; exit 1`;
    expect((await outcome(guard(deny))).said).toMatchObject({ decision: "deny", reason: "no" });
  });

  it("E24 hooks.onFailure decides what a failed guard means", async () => {
    expect((await outcome({ ...guard("exit 1"), onFailure: "deny" })).said).toMatchObject({ decision: "deny" });
    const passed = await outcome({ ...guard("exit 1"), onFailure: "pass" });
    expect([passed.said, passed.notices.length]).toEqual([{}, 1]);
  });

  it("E24 onFailure of one hook says it for that hook, in the documented words too", async () => {
    for (const [word, decision] of [
      ["block", "deny"],
      ["deny", "deny"],
      ["ask", "ask"],
      ["continue", undefined],
      ["pass", undefined],
    ] as const) {
      for (const line of ["exit 1", "./no-such-script.sh", "echo '{broken'"]) {
        const { said } = await outcome({ ...guard(line, { onFailure: word }), onFailure: "ask" });
        expect([word, said]).toEqual([word, decision ? expect.objectContaining({ decision }) : {}]);
      }
    }
    // If two hooks fail, the stricter failure counts.
    const both = [guard("exit 1", { onFailure: "block" }), guard("exit 3", { onFailure: "continue" })];
    const said = await outcome({ PreToolUse: both.flatMap(({ PreToolUse }) => PreToolUse ?? []) });
    expect(said).toMatchObject({ said: { decision: "deny" }, notices: [{}, {}] });
  });

  it("E24 a failure that counts as a no stops what a no stops at other events", async () => {
    const failing = [{ hooks: [{ type: "command", command: "exit 1", onFailure: "block" }] }] as const;
    const hooks = settingsHooks({ UserPromptSubmit: failing, SessionStart: failing, PostToolUse: failing });
    expect(await hooks.runHooks("UserPromptSubmit", { prompt: "x" })).toMatchObject({
      blocked: expect.stringContaining("exit code 1"),
    });
    expect(await hooks.runHooks("SessionStart", { source: "startup" })).not.toHaveProperty("blocked");
    const after = await hooks.hooks[0]?.after?.({ ...hooks.event(), result: { content: [] }, durationMs: 1 });
    expect(after).toMatchObject({ context: expect.stringContaining("objects: A hook failed") });
    hooks.remove();
  });

  it("E24 plain text with exit code 0 lets the call go on, and is remarked on once", async () => {
    const hooks = settingsHooks(guard("echo all good"));
    expect([await hooks.before(), await hooks.before()]).toEqual([{}, {}]);
    expect(hooks.notices).toMatchObject([{ kind: "remark" }]);
    hooks.remove();
  });

  it("E24 hooks after a call that fail are reported and change nothing", async () => {
    const hooks = settingsHooks({ PostToolUse: [{ hooks: [{ type: "command", command: "exit 1" }] }] });
    const said = await hooks.hooks[0]?.after?.({ ...hooks.event(), result: { content: [] }, durationMs: 1 });
    expect(said).toEqual({});
    expect(hooks.notices).toMatchObject([{ event: "PostToolUse", kind: "failure" }]);
    hooks.remove();
  });

  it("E24 a cancelled call takes its hook with it, and nothing of it stays", async () => {
    const hooks = settingsHooks(guard("echo $$ > pid; sleep 60"));
    mkdirSync(`${hooks.cwd}/tmp`);
    vi.stubEnv("TMPDIR", `${hooks.cwd}/tmp`);
    const controller = new AbortController();
    const said = hooks.before({ signal: controller.signal });
    await expect.poll(() => existsSync(`${hooks.cwd}/pid`) && readFileSync(`${hooks.cwd}/pid`, "utf8")).toBeTruthy();
    const pid = Number(readFileSync(`${hooks.cwd}/pid`, "utf8"));
    controller.abort();
    await said;
    expect([isAlive(pid), hooks.notices]).toEqual([false, []]);
    expect(readdirSync(`${hooks.cwd}/tmp`)).toEqual([]);
    vi.unstubAllEnvs();
    hooks.remove();
  });
});
