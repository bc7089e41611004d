import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { scratch } from "../../../../test/support/haft-process.ts";

// The program as agents start it.
it("answers one call as JSON, and whatever goes wrong as a question", { tags: ["smoke"] }, async () => {
  using place = scratch();
  const call = {
    tool_name: "Bash",
    tool_input: { command: "rm -rf build" },
    cwd: place.cwd,
    hook_event_name: "PreToolUse",
  };
  const said = async (input: string, agent = "claude") => place.haft(["hook", agent], { input });
  const asked = await said(JSON.stringify(call));
  expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([
    0,
    { hookSpecificOutput: { permissionDecision: "ask" } },
  ]);
  const free = await said(JSON.stringify({ ...call, tool_input: { command: "git status" } }));
  expect([free.code, free.stdout]).toEqual([0, ""]);
  for (const broken of ["", "{", "[]", '{"tool_name": 7}']) {
    const { code, stdout } = await said(broken);
    expect([broken, code, JSON.parse(stdout)]).toMatchObject([
      broken,
      0,
      { hookSpecificOutput: { permissionDecision: "ask" } },
    ]);
  }
  place.write(".haft/settings.json", "{ broken");
  const settings = await said(JSON.stringify({ ...call, tool_input: { command: "git status" } }), "codex");
  expect(JSON.parse(settings.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect((await said("{}", "nobody")).code).toBe(2);
});

it("install tries the hook as the agent will run it, and writes nothing if it does not refuse", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const file = ".claude/settings.json";
  place.write(".haft/settings.json", "{ broken");
  // The hook's command starts the sources where there is no bundle.
  const env = { NODE_OPTIONS: "--conditions=haft-source" };
  const broken = await place.haft(["hook", "install", "claude", "--project", "--yes"], { env });
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("did not refuse")]);
  expect(existsSync(join(place.cwd, file))).toBe(false);
  place.write(".haft/settings.json", "{}");
  for (const agent of ["claude", "codex", "gemini", "opencode", "copilot", "cursor"])
    expect([agent, (await place.haft(["hook", "install", agent, "--project", "--yes"], { env })).code]).toEqual([
      agent,
      0,
    ]);
  expect(readFileSync(join(place.cwd, file), "utf8")).toContain("hook claude");
});

it("a broken installation refuses: after any other exit code agents would go on", () => {
  using place = scratch();
  const bin = join(place.cwd, "bin");
  mkdirSync(bin);
  cpSync(fileURLToPath(new URL("../../../../bin/haft.mjs", import.meta.url)), join(bin, "haft.mjs"));
  const { status, stderr } = spawnSync(process.execPath, [join(bin, "haft.mjs"), "hook", "claude"], { input: "{}" });
  expect([status, String(stderr)]).toEqual([2, expect.stringContaining("hook.cjs")]);
});
