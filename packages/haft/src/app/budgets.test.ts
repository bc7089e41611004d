import { contentsText, type Result } from "@haft/core/tool";
import { expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

/** Three kinds of tools say three hundred characters, under these budgets of the user. */
const place = (budgets: object) =>
  mcpWorkspace({
    [USER_SETTINGS]: { budgets, mcpServers: { pal: serverEntry("friendly") } },
    "work/long.txt": "x".repeat(300),
  });
const PRINT = { command: "printf %0300d 7" };
const READ = { file_path: "long.txt" };
const ECHO = { text: "e".repeat(300) };
const rules = { allow: ["mcp__pal"] };

const isSpilled = ({ error, spilled }: Result): boolean => error === undefined && spilled !== undefined;

it("H10 H13 budgets.tools counts over a tool's own limit, by name, by alias, and for a tool of an MCP server", async () => {
  using small = place({ tools: { shell: 200, Read: 200, mcp__pal__echo: 200 } });
  await using haft = await small.open({ rules });
  expect(isSpilled(await haft.call("Bash", PRINT))).toBe(true);
  expect(isSpilled(await haft.call("Read", READ))).toBe(true);
  const echo = await haft.call("mcp__pal__echo", ECHO);
  expect([isSpilled(echo), contentsText(echo.content)]).toEqual([true, expect.stringContaining("first 200 of 300")]);
  expect(isSpilled(await haft.with({ mode: "plan" }).call("Read", READ))).toBe(true);
  expect(isSpilled(await haft.call("Ls", { path: "." }))).toBe(false);
});

it("H10 a tool's own limit counts over budgets.resultChars, and budgets.tools over both, upwards too", async () => {
  using plain = place({ resultChars: 200 });
  await using haft = await plain.open({ rules });
  expect(isSpilled(await haft.call("mcp__pal__echo", ECHO))).toBe(true);
  expect(isSpilled(await haft.call("Bash", PRINT))).toBe(false);
  using more = place({ resultChars: 200, tools: { mcp__pal__echo: 300 } });
  await using roomy = await more.open({ rules });
  expect(isSpilled(await roomy.call("mcp__pal__echo", ECHO))).toBe(false);
});
