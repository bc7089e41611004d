import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinToolNames } from "@haft/core/policy";
import { expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

const GATES = { toolSearch: true, agentSwarms: true, coordinator: false, WEB_BROWSER_TOOL: true, repl: true };

/** The text of every test below a folder. */
function testsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "dist" ? [] : testsBelow(path);
    return /\.test\.tsx?$/.test(entry.name) ? [readFileSync(path, "utf8")] : [];
  });
}

it("P10 with all gates on there are at least fifty built-in tools, each called by a test", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "haft-count-"));
  await using haft = await createHaft({ cwd, stateDir: join(cwd, "state"), settings: { gates: GATES } });
  const known = haft.registry.entries().filter(({ source }) => source.origin === "builtin");
  const names = new Set(known.map(({ tool }) => tool.name));
  expect(names.size).toBeGreaterThanOrEqual(50);
  expect([...names].filter((name) => builtinToolNames.canonical(name) !== name)).toEqual([]);
  const tests = testsBelow(join(import.meta.dirname, "../../.."));
  const variable = (name: string) =>
    name[0]!.toLowerCase() + name.slice(1).replaceAll(/_(\w)/g, (_, c) => c.toUpperCase());
  const isCalled = (name: string) =>
    tests.some((text) => text.includes(`"${name}"`) || new RegExp(`\\b${variable(name)}\\b`).test(text));
  expect([...names].filter((name) => !isCalled(name))).toEqual([]);
  rmSync(cwd, { recursive: true, force: true });
});
