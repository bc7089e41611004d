import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { settingsHooks } from "../../test/support/hooks.ts";

const command = (line: string, more: object = {}) => ({ type: "command" as const, command: line, ...more });

describe("hooks at events of the session", () => {
  it("E23 SessionStart: text is context for the model, the matcher is the source", async () => {
    const hooks = settingsHooks({
      SessionStart: [
        { matcher: "startup", hooks: [command("cat > told; echo Branch: main")] },
        { matcher: "resume", hooks: [command("echo no")] },
        { hooks: [command(`echo '{"hookSpecificOutput":{"additionalContext":"and more"}}'`)] },
        { hooks: [command("echo 'for you' >&2; exit 2")] },
      ],
    });
    const outcome = await hooks.runHooks("SessionStart", { source: "startup", model: "m" });
    expect(outcome).toEqual({ context: ["Branch: main", "and more"] });
    expect(hooks.notices).toMatchObject([{ kind: "message", text: "for you" }]);
    expect(JSON.parse(readFileSync(`${hooks.cwd}/told`, "utf8"))).toEqual({
      session_id: "s1",
      transcript_path: "/state/s1.jsonl",
      cwd: hooks.cwd,
      permission_mode: "default",
      hook_event_name: "SessionStart",
      source: "startup",
      model: "m",
    });
    hooks.remove();
  });

  it("E23 UserPromptSubmit and Stop: a block has its reason, and the end of the run beats it", async () => {
    const hooks = settingsHooks({
      UserPromptSubmit: [
        { matcher: "nobody", hooks: [command("grep -q secret && { echo 'no secrets' >&2; exit 2; }; :")] },
      ],
      Stop: [
        { hooks: [command(`echo '{"decision":"block","reason":"tests fail"}'`)] },
        {
          hooks: [command(`grep -q '"stop_hook_active":true' && echo '{"continue":false,"stopReason":"enough"}'; :`)],
        },
      ],
    });
    expect(await hooks.runHooks("UserPromptSubmit", { prompt: "my secret" })).toEqual({
      context: [],
      blocked: "no secrets",
    });
    expect(await hooks.runHooks("UserPromptSubmit", { prompt: "hello" })).toEqual({ context: [] });
    expect(await hooks.runHooks("Stop", { stop_hook_active: false })).toMatchObject({ blocked: "tests fail" });
    expect(await hooks.runHooks("Stop", { stop_hook_active: true })).toMatchObject({ stop: "enough" });
    hooks.remove();
  });

  it("E23 SessionEnd has 1.5 s; a failure is reported and stops nobody", async () => {
    const hooks = settingsHooks({ SessionEnd: [{ hooks: [command("sleep 20")] }] });
    const started = performance.now();
    expect(await hooks.runHooks("SessionEnd", { reason: "other" })).toEqual({ context: [] });
    expect(performance.now() - started).toBeLessThan(patience(2500));
    expect(hooks.notices).toMatchObject([{ kind: "failure", text: expect.stringContaining("1.5 s") }]);
    hooks.remove();
  });
});
