// Tools of every foreign shape in one real session: one registry, one policy, one executor, one record for all of them.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { createCodingTools, fromAgentTool, jsonResult } from "../packages/core/src/compat/agent-tool/index.ts";
import { buildTool, fromBuildTool } from "../packages/core/src/compat/build-tool/index.ts";
import {
  BaseDeclarativeTool,
  BaseToolInvocation,
  fromDeclarative,
  Kind,
  type ToolResult,
} from "../packages/core/src/compat/declarative/index.ts";
import { fromSema } from "../packages/core/src/compat/sema/index.ts";
import { fromToolDefine, Tool } from "../packages/core/src/compat/tool-define/index.ts";
import { contentsText, type ToolLike } from "../packages/core/src/tool/index.ts";
import { createHaft } from "../packages/haft/src/app/create-haft.ts";
import type { HaftOptions } from "../packages/haft/src/app/haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-compat-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const schema = z.object({ text: z.string().describe("What to say.") });

class Saying extends BaseToolInvocation<{ text: string }, ToolResult> {
  getDescription = () => `Say ${this.params.text}`;
  execute = async () => ({ llmContent: `said ${this.params.text}`, returnDisplay: "" });
}

class Declared extends BaseDeclarativeTool<{ text: string }, ToolResult> {
  constructor() {
    const text = { type: "string", description: "What to say." };
    super("say_declared", "Say", "Says.", Kind.Other, { type: "object", properties: { text }, required: ["text"] });
  }
  protected createInvocation = (params: { text: string }) => new Saying(params);
}

const shapes: readonly ToolLike[] = [
  fromSema({
    name: "say_sema",
    inputSchema: schema,
    isReadOnly: () => false,
    genResultForAssistant: (said: string) => said,
    async *call({ text }) {
      yield { type: "result", data: `said ${text}` };
    },
  }),
  fromToolDefine(
    Tool.define("say_defined", {
      name: "Say",
      description: "Says.",
      category: "custom",
      parameters: schema,
      execute: async ({ text }) => ({ title: "Said", output: `said ${text}`, metadata: {} }),
    }),
  ),
  fromAgentTool({
    name: "say_agent",
    description: "Says.",
    parameters: schema,
    execute: async (_id, { text }: { text: string }) => jsonResult(`said ${text}`),
  }),
  fromDeclarative(new Declared()),
  fromBuildTool(
    buildTool({
      name: "say_built",
      inputSchema: schema,
      description: async () => "Says.",
      call: async ({ text }: { text: string }) => ({ data: `said ${text}` }),
    }),
  ),
] as readonly ToolLike[];
const names = shapes.map(({ name }) => name);

const open = (options: HaftOptions = {}) =>
  createHaft({
    cwd: base,
    home: base,
    env: {},
    settings: false,
    stateDir: join(base, "state"),
    tools: shapes,
    ...options,
  });

it("A01 A23 each shape is offered, asks, runs once allowed, and stands in the one record", async () => {
  const asked: string[] = [];
  await using haft = await open({
    ask: async ({ tool }) => {
      asked.push(tool);
      return { behavior: "allow" };
    },
  });
  expect((await haft.offer()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  for (const name of names) {
    expect(contentsText((await haft.call(name, { text: "hi" })).content)).toContain("said hi");
    expect((await haft.call(name, { text: 7 })).error?.code).toBe("invalid_input");
  }
  expect(asked).toEqual(names);
  const log = readFileSync(haft.session.path!, "utf8");
  for (const name of names) expect(log).toContain(`"tool":"${name}"`);
});

it("A23 with nobody there none of them runs; a deny rule binds all of them alike", async () => {
  await using nobody = await open();
  for (const name of names) expect((await nobody.call(name, { text: "hi" })).error?.code).toBe("needs_approval");
  await using denied = await open({ mode: "bypassPermissions", rules: { deny: names } });
  for (const name of names) expect((await denied.call(name, { text: "hi" })).error?.code).toBe("denied_by_rule");
});

it("A40 the factories give independent tools for a folder, over Haft's own tools and rules", async () => {
  writeFileSync(join(base, "a.txt"), "one\n");
  const toolsFor = async (options: HaftOptions) => {
    const haft = await createHaft({ cwd: base, home: base, env: {}, settings: false, stateDir: false, ...options });
    const offer = await haft.offer();
    return { haft, tools: createCodingTools({ offer: () => offer, open: haft.open }) };
  };
  const first = await toolsFor({ mode: "acceptEdits" });
  const second = await toolsFor({ mode: "plan" });
  expect(first.tools.map(({ name }) => name)).toEqual(["read", "write", "edit", "exec"]);
  const [read, write] = first.tools;
  expect((await read!.execute("t1", { file_path: "a.txt" })).content).toMatchObject([
    { type: "text", text: expect.stringContaining("one") },
  ]);
  await write!.execute("t2", { file_path: "b.txt", content: "two\n" });
  expect(readFileSync(join(base, "b.txt"), "utf8")).toBe("two\n");
  await expect(second.tools[1]!.execute("t3", { file_path: "c.txt", content: "" })).rejects.toThrow(/plan/i);
  for (const { haft } of [first, second]) await haft[Symbol.asyncDispose]();
});
