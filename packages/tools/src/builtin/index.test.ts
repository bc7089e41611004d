import { execFileSync } from "node:child_process";
import { checkName, effects as make } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { builtins, builtinTools } from "./index.ts";

const tools = await builtinTools();

/** Every schema below a schema that stands for a value of the model. */
function properties(schema: unknown, path: string): [string, Record<string, unknown>][] {
  const { properties: own = {}, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  const below = Object.entries(own).flatMap(([name, value]): [string, Record<string, unknown>][] => [
    [`${path}.${name}`, value as Record<string, unknown>],
    ...properties(value, `${path}.${name}`),
  ]);
  return items ? [...below, ...properties(items, `${path}[]`)] : below;
}

describe("the built-in tools", () => {
  it("have a fresh index", () => {
    const script = new URL("../../../../scripts/builtin-index.mjs", import.meta.url).pathname;
    expect(() => execFileSync(process.execPath, [script, "--check"], { stdio: "pipe" })).not.toThrow();
  });

  it("are what the index says", () => {
    expect(tools.map((tool) => tool.name)).toEqual(builtins.map(({ name }) => name));
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["Read", "Write", "Edit", "Ls", "Glob", "Grep", "Bash", "TodoWrite"]),
    );
  });

  it("P08 have legal names and aliases, and none twice", () => {
    const names = tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]);
    for (const name of names) checkName(name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        "exec",
        "ReadFile",
        "Shell",
        "WriteTodos",
        "run_shell_command",
        "search_file_content",
        "replace",
      ]),
    );
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s describes every property", (_, tool) => {
    for (const [path, schema] of properties(tool.input.json, tool.name))
      expect(schema.description, path).toEqual(expect.stringMatching(/\S/));
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s marks paths, and says what it may do", (_, tool) => {
    for (const [path, schema] of properties(tool.input.json, tool.name))
      expect(schema.format, path).toBe(
        /(?:^|\.)(?:file_path|filePath|notebook_path|path|workdir)$/.test(path) ? "path" : undefined,
      );
    expect(Object.keys(make).length).toBeGreaterThan(tool.can?.length ?? 99);
    expect(tool.can).not.toContain(undefined);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s describes a call without an input", (_, tool) => {
    const { title, activity } = tool.describe?.({}) ?? {};
    expect(title).toBeTruthy();
    expect(activity).toBeTruthy();
  });
});
