import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialectNamed, dialectNames } from "@haft/core/dialect";
import { defineTool } from "@haft/core/tool";
import { builtinTools } from "@haft/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";
import type { Haft, HaftOptions } from "./haft.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "haft-dialect-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const open = (options: HaftOptions) =>
  createHaft({ cwd, stateDir: false, rules: { allow: ["Read", "Edit", "Write", "Bash"] }, ...options });
const text = async (haft: Haft, tool: string, input: unknown) => {
  const [outcome] = await haft.run([{ id: crypto.randomUUID(), tool, input }]);
  return { outcome: outcome!, text: outcome!.result.content.map((part) => ("text" in part ? part.text : "")).join("") };
};

describe("P08 the tools under the names of a model family", () => {
  it.each(dialectNames)(
    "P08 %s names only tools and parameters that exist, and all of them in its schemas",
    async (name) => {
      const tools = new Map((await builtinTools()).map((tool) => [tool.name, tool]));
      for (const one of dialectNamed(name).tools) {
        const properties = (tools.get(one.tool)?.input.json as { properties?: object } | undefined)?.properties;
        if (!properties) continue;
        const ours = [
          ...Object.keys(one.fields ?? {}),
          ...(one.omit ?? []),
          ...(one.convert ?? []).flatMap((c) => c.ours),
        ];
        expect(
          ours.filter((field) => !(field in properties)),
          `${name}: ${one.name}`,
        ).toEqual([]);
        expect(new Set(ours).size, `${name}: ${one.name}`).toBe(ours.length);
      }
    },
  );

  it.each(dialectNames.filter((name) => name !== "claude"))(
    "P08 every name that %s offers can be called",
    async (dialect) => {
      // With a model, agents can be started.
      const openModel = () => Promise.reject(new Error("none"));
      await using haft = await open({ dialect, model: "test/model", openModel });
      const { tools } = await haft.offer();
      const renamed = tools.filter(({ name, entry }) => name !== entry.tool.name);
      expect(renamed.length).toBeGreaterThan(0);
      for (const { name, entry, input } of renamed) {
        const { outcome } = await text(haft, name, {});
        expect(outcome.call.tool, name).toBe(entry.tool.name);
        const { required = [] } = input.json as { required?: readonly string[] };
        if (required.length === 0 || outcome.result.error?.code !== "invalid_input") continue;
        // A model that forgets a parameter is told its name as the model knows it.
        expect(
          required.some((field) => outcome.result.error!.message.includes(field)),
          `${name}: ${outcome.result.error!.message}`,
        ).toBe(true);
      }
    },
  );

  it("P08 gemini: reads a range of lines, replaces, searches and runs by its own parameters", async () => {
    writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\nfour\n");
    await using haft = await open({ dialect: "gemini" });
    const read = await text(haft, "read_file", { file_path: "a.txt", start_line: 2, end_line: 3 });
    expect(read.text).toContain("two");
    expect(read.text).toContain("three");
    expect(read.text).not.toContain("four");
    expect(read.outcome.input).toMatchObject({ offset: 2, limit: 2 });
    await text(haft, "replace", { file_path: "a.txt", old_string: "two", new_string: "2", allow_multiple: true });
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n2\nthree\nfour\n");
    const found = await text(haft, "grep_search", { pattern: "THREE", dir_path: "." });
    expect(found.text).toContain("three");
    const exact = await text(haft, "grep_search", { pattern: "THREE", dir_path: ".", case_sensitive: true });
    expect(exact.text).not.toContain("a.txt");
    const ran = await text(haft, "run_shell_command", { command: "echo hello" });
    expect(ran.text).toContain("hello");
  });

  it("P08 rules, hooks and records see Haft's names, with any name that the model uses for a tool", async () => {
    writeFileSync(join(cwd, "b.txt"), "b\n");
    const seen: string[] = [];
    await using haft = await open({
      dialect: "opencode@1",
      rules: { allow: ["Read"], deny: ["Read(./b.txt)"] },
      onEvent: (event) => void seen.push(`${event.type} ${event.call.tool}`),
    });
    const { outcome } = await text(haft, "read", { filePath: "b.txt" });
    expect(outcome.result.error?.code).toBe("denied_by_rule");
    expect(outcome.call.tool).toBe("Read");
    expect(new Set(seen.map((line) => line.split(" ")[1]))).toEqual(new Set(["Read"]));
  });

  it("P08 a call with half of its arguments, or none, is answered and runs nothing", async () => {
    await using haft = await open({ dialect: "codex" });
    const [broken] = await haft.run([{ id: "1", tool: "exec_command", json: '{"cmd": "echo' }]);
    expect(broken!.result.error?.code).toBe("invalid_json");
    const [text] = await haft.run([{ id: "2", tool: "exec_command", json: '{"cmd": "echo hi"}' }]);
    expect(text!.status).toBe("ok");
    const [list] = await haft.run([{ id: "3", tool: "exec_command", input: ["echo"] }]);
    expect(list!.result.error?.code).toBe("invalid_input");
  });

  it("P08 a tool of the host keeps its name, also one that the dialect would give to another", async () => {
    const own = defineTool({ name: "view_file", description: "Mine.", input: z.object({}), run: () => "mine" });
    await using haft = await open({ dialect: "antigravity", tools: [own], rules: { allow: ["view_file"] } });
    const names = (await haft.offer()).tools.map(({ name }) => name);
    expect(names).toContain("view_file");
    expect(names).toContain("Read");
    expect((await text(haft, "view_file", {})).text).toBe("mine");
  });

  it("P08 the setting gives each model family its dialect, and a change of the model changes the names", async () => {
    const settings = { model: "anthropic/claude-x", dialect: { "gemini-*": "gemini", "openai/*": "codex" } };
    await using haft = await open({ settings });
    const names = async () => new Set((await haft.offer()).tools.map(({ name }) => name));
    expect(await names()).toContain("Bash");
    await haft.setModel("google/gemini-3-pro");
    expect(await names()).toContain("run_shell_command");
    await haft.setModel("openai/gpt-6");
    expect(await names()).toContain("exec_command");
    await expect(open({ dialect: "gemeni" })).rejects.toThrow('Did you mean "gemini"?');
  });
});
