import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinToolNames } from "@haft/core/policy";
import { expect, it } from "vitest";
import { serverEntry } from "../../test/support/mcp-workspace.ts";
import { createHaft } from "./create-haft.ts";

const GATES = { toolSearch: true, agentSwarms: true, coordinator: false, WEB_BROWSER_TOOL: true, repl: true };

/** The text of every test below a folder that goes through the public face. */
function testsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "dist" ? [] : testsBelow(path);
    return /\.test\.tsx?$/.test(entry.name) ? [readFileSync(path, "utf8")] : [];
  });
}

/** The ways in which tests call a tool: a call of a Haft, one of a scripted model, a request to a server, a command. */
function callsOf(name: string): readonly RegExp[] {
  return [
    new RegExp(`\\b(?:call|calls|invoke|executeTool)\\(\\s*(?:[^,()]+,\\s*)?"${name}"\\s*,`),
    new RegExp(`\\["${name}",\\s*[\\w{]`),
    new RegExp(`\\b(?:name|tool|toolId): "${name}",\\s*(?:input|arguments)\\b`),
    new RegExp(`"call", "${name}"`),
  ];
}

it("P10 with all gates on there are at least 55 built-in tools, each called by a test through the public face", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "haft-count-"));
  await using haft = await createHaft({
    ...{ cwd, home: cwd, stateDir: join(cwd, "state"), trusted: true, settingsFiles: false },
    settings: { gates: GATES, mcpServers: { friendly: serverEntry("friendly") } },
  });
  await haft.mcp.settled();
  const known = haft.registry.entries().filter(({ tool }) => builtinToolNames.canonical(tool.name) === tool.name);
  const names = known.map(({ tool }) => tool.name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(55);
  // Every built-in tool has a name that rules know.
  const unknown = haft.registry.entries().filter(({ source }) => source.origin === "builtin");
  expect(unknown.filter(({ tool }) => !names.includes(tool.name)).map(({ tool }) => tool.name)).toEqual([]);
  const tests = ["../..", "../../../../test"].flatMap((folder) => testsBelow(join(import.meta.dirname, folder)));
  const isCalled = (name: string) => callsOf(name).some((pattern) => tests.some((text) => pattern.test(text)));
  expect(names.filter((name) => !isCalled(name))).toEqual([]);
  rmSync(cwd, { recursive: true, force: true });
});
