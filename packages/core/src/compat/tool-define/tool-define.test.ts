import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import { fromToolDefine, type InitContext, Tool, type ToolResult, toExecutionResult } from "./index.ts";

// The samples of the documents, as they stand there; "..." is filled in.
const readTool = Tool.define("read", {
  name: "Read File",
  description: "Read contents of a file",
  category: "builtin",
  parameters: z.object({
    file_path: z.string().describe("File path to read"),
  }),
  async execute(args, ctx) {
    ctx.metadata({ title: `Reading ${args.file_path}` });
    return { title: "...", output: "...", metadata: {} };
  },
});

const skillTool = Tool.define(
  "skill",
  {
    name: "Skill",
    category: "builtin",
  },
  async (ctx?: InitContext) => {
    const skills = ctx?.skills ?? [];
    return {
      description: `Load a skill. Available: ${skills.map((s) => s.name).join(", ")}`,
      parameters: z.object({ skill: z.enum(skills.map((s) => s.name) as [string, ...string[]]) }),
      async execute(args, toolCtx) {
        return { title: args.skill, output: `loaded ${args.skill} in ${toolCtx.workingDirectory}`, metadata: {} };
      },
    };
  },
);

const GlobParameters = z.object({
  pattern: z.string().describe('Glob pattern like "**/*.ts"'),
  path: z.string().optional().describe("Search directory"),
});
type GlobMetadata = { pattern?: string; searchPath?: string; count?: number; truncated?: boolean };

const GlobTool = Tool.define<typeof GlobParameters, GlobMetadata>("glob", {
  name: "Glob",
  description: "Fast file pattern matching tool...",
  category: "builtin",
  enabled: true,
  autoExecute: true, // 只读操作，安全自动执行

  parameters: GlobParameters,

  async execute(args, ctx) {
    const { pattern } = args;
    const searchPath = args.path || ".";

    // 实时更新元数据
    ctx.metadata({
      title: `Searching: ${pattern}`,
      metadata: { pattern, searchPath, count: 0 },
    });
    return { title: `Found 0 files`, output: "", metadata: { pattern, searchPath, count: 0, truncated: false } };
  },
});

const yes = async () => ({ behavior: "allow" }) as const;

describe("static tools", () => {
  it("A38 arguments and metadata are inferred from the definition", () => {
    expectTypeOf<Parameters<typeof readTool.execute>[0]>().toEqualTypeOf<{ file_path: string }>();
    expectTypeOf(GlobTool.execute).returns.resolves.toEqualTypeOf<ToolResult<GlobMetadata>>();
    expect([readTool.id, readTool.name, GlobTool.autoExecute]).toEqual(["read", "Read File", true]);
  });

  it("A38 A23 one runs through the pipeline: asked about, with live title and metadata", async () => {
    const denied = customTools([fromToolDefine(readTool)]);
    expect((await denied.call("read", { file_path: "a" })).result.error?.code).toBe("needs_approval");
    const { call, events } = customTools([fromToolDefine(readTool)], { answer: yes });
    const outcome = await call("read", { file_path: "a.ts" });
    expect([outcome.status, textOf(outcome), outcome.result.title]).toEqual(["ok", "...", "..."]);
    const titles = events.flatMap((event) => (event.type === "tool:execution:progress" ? [event.progress.title] : []));
    expect(titles).toContain("Reading a.ts");
    expect((await call("read", {})).result.error?.code).toBe("invalid_input");
  });

  it("A38 a tool that may execute by itself only reads, and is not asked about inside the workspace", async () => {
    const { call } = customTools([fromToolDefine(GlobTool)], { basis: "enforced" });
    const { status, effects, result } = await call("glob", { pattern: "*" });
    expect([status, effects]).toMatchObject(["ok", [{ do: "read", path: "/w", tree: true }]]);
    expect(result.metadata).toMatchObject({ pattern: "*", count: 0 });
  });

  it("J10 the end of a call in this shape, thrown values of any kind included", async () => {
    const broken = Tool.define("broken", {
      ...readTool,
      execute: () => Promise.reject("a text, not an Error"),
    });
    const { call } = customTools([fromToolDefine(broken)], { allow: ["broken"] });
    const { result } = await call("broken", { file_path: "a" });
    expect(toExecutionResult(result)).toEqual({ success: false, error: "a text, not an Error" });
  });
});

describe("tools that are initialised later", () => {
  it("A39 description and parameters follow what there is, and change with it", async () => {
    let skills = [{ name: "pdf" }];
    const tool = fromToolDefine(skillTool, { context: () => ({ skills }) });
    const { call } = customTools([tool], { answer: yes });
    const describe = () => (tool.description as () => Promise<string>)();
    expect(await describe()).toBe("Load a skill. Available: pdf");
    expect(textOf(await call("skill", { skill: "pdf" }))).toBe("loaded pdf in /w");
    expect((await call("skill", { skill: "docx" })).result.error?.code).toBe("invalid_input");
    skills = [{ name: "pdf" }, { name: "docx" }];
    expect(textOf(await call("skill", { skill: "docx" }))).toBe("loaded docx in /w");
    expect(await describe()).toContain("docx");
    expect(tool.input.json).toMatchObject({ properties: { skill: { enum: ["pdf", "docx"] } } });
  });

  it("A39 it starts nothing before its first use; uses at the same time share it; a failure is tried again", async () => {
    let starts = 0;
    const slow = Tool.define("slow", { name: "Slow", category: "custom" }, async () => {
      if (++starts === 1) throw new Error("not yet");
      return { ...readTool, description: "ready" };
    });
    expect([starts, slow._initialized]).toEqual([0, undefined]);
    const two = await Promise.allSettled([Tool.initialize(slow, {}), Tool.initialize(slow, {})]);
    expect([two.map(({ status }) => status), starts]).toEqual([["rejected", "rejected"], 1]);
    const [a, b] = await Promise.all([Tool.initialize(slow, {}), Tool.initialize(slow, {})]);
    expect([a === b, starts, slow._initialized === a]).toEqual([true, 2, true]);
    await Tool.initialize(slow, { skills: [{ name: "new" }] });
    expect(starts).toBe(3);
  });

  for (const [way, init] of [
    ["throws", () => void brokenInit()],
    ["rejects", async () => brokenInit()],
  ] as const)
    it(`C09 a tool whose init ${way} gives its own reason, and is tried again`, async () => {
      let starts = 0;
      const broken = Tool.define("broken", { name: "Broken", category: "custom" }, (() => {
        starts++;
        return init();
      }) as unknown as () => Promise<typeof readTool>);
      const { call } = customTools([fromToolDefine(broken)], { answer: yes });
      expect((await call("broken", {})).result.error?.message).toContain("no catalogue");
      await expect(Tool.initialize(broken)).rejects.toThrow("no catalogue");
      expect(starts).toBe(2);
    });
});

function brokenInit(): never {
  throw new Error("no catalogue");
}
