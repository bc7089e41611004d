import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HookEvent } from "@haft/core/hook";
import type { HooksSettings } from "@haft/core/policy";
import { read } from "@haft/core/tool";
import { createSettingsHooks, type HookNotice, type SettingsHooksOptions } from "../../src/hook/index.ts";

/** Hooks of these settings in a folder of their own, with a call to try them on and what they had to say. */
export function settingsHooks(settings: HooksSettings, options: Partial<SettingsHooksOptions> = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-hook-test-")));
  mkdirSync(join(cwd, "src"));
  const notices: HookNotice[] = [];
  const made = createSettingsHooks({
    settings,
    workspace: { root: cwd, startedIn: cwd, cwd, home: "/home/u", additional: [], platform: "linux" },
    session: { id: "s1" },
    cwd: () => cwd,
    mode: () => "default",
    transcript: "/state/s1.jsonl",
    onNotice: (notice) => notices.push(notice),
    ...options,
  });
  const event = (changes: Partial<HookEvent> = {}): HookEvent => ({
    callId: "c1",
    tool: "Read",
    identity: { name: "Read", origin: "builtin" },
    input: { file_path: "a.txt" },
    effects: [read(`${cwd}/a.txt`)],
    agent: { id: "main" },
    session: { id: "s1" },
    cwd,
    mode: "default",
    signal: new AbortController().signal,
    ...changes,
  });
  return {
    ...made,
    cwd,
    notices,
    event,
    before: (changes?: Partial<HookEvent>) => made.hooks[0]?.before?.(event(changes)),
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

/** One PreToolUse hook for everything. */
export const guard = (line: string, more: object = {}): HooksSettings => ({
  PreToolUse: [{ hooks: [{ type: "command", command: line, ...more }] }],
});
