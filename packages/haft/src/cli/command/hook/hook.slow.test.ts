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
