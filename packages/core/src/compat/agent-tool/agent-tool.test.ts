import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import { testToolbox } from "../../../test/support/toolbox.ts";
import { Get, Put } from "../../../test/support/tools.ts";
import { type AgentTool, createReadTool, fromAgentTool, jsonResult, toAgentTool, toToolDefinitions } from "./index.ts";

// The sample of the document; only the file system is a map.
const files = new Map([["a.txt", "one\ntwo"]]);
const fs = {
  readFile: async (path: string, _encoding: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`no such file: ${path}`);
    return text;
  },
};
interface ReadParams {
  file_path: string;
  offset?: number;
  limit?: number;
}
interface ReadResult {
  path: string;
  lines: number;
}

const ReadToolSchema = Type.Object({
  file_path: Type.String({ description: "文件路径" }),
  offset: Type.Optional(Type.Number()),
  limit: Type.Optional(Type.Number()),
});

function createSampleReadTool(): AgentTool<ReadParams, ReadResult> {
  return {
    name: "read_file",
    description: "读取文件内容",
    parameters: ReadToolSchema,
    async execute(_toolCallId, params, _signal) {
      // 读取文件
      const content = await fs.readFile(params.file_path, "utf-8");

      // 返回结果
      return {
        content: [{ type: "text", text: content }],
        details: { path: params.file_path, lines: content.split("\n").length },
      };
    },
  };
}

const yes = async () => ({ behavior: "allow" }) as const;

describe("tools of this shape in the pipeline", () => {
  it("A23 the sample runs, is checked against its TypeBox schema, and asks by default", async () => {
    const tool = fromAgentTool(createSampleReadTool());
    const { call } = customTools([tool], { answer: yes });
    const outcome = await call("read_file", { file_path: "a.txt" });
    expect([textOf(outcome), outcome.result.output]).toMatchObject(["one\ntwo", { details: { lines: 2 } }]);
    expect((await call("read_file", { file_path: 7 })).result.error?.code).toBe("invalid_input");
    expect((await customTools([tool]).call("read_file", { file_path: "a.txt" })).status).toBe("denied");
  });

  it("J07 an exception of the tool is an error of the call, with this shape's text", async () => {
    const { call } = customTools([fromAgentTool(createSampleReadTool())], { answer: yes });
    const { status, result } = await call("read_file", { file_path: "b.txt" });
    expect([status, result.error]).toMatchObject([
      "error",
      { code: "execution_failed", message: "no such file: b.txt" },
    ]);
    expect(JSON.stringify(result.content)).toContain('\\"status\\": \\"error\\"');
  });

  it("A23 images and partial results come through", async () => {
    const paint: AgentTool = {
      ...createSampleReadTool(),
      name: "paint",
      async execute(_id, _params, _signal, onUpdate) {
        onUpdate?.(jsonResult({ done: 1 }));
        return { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] };
      },
    };
    const { call, events } = customTools([fromAgentTool(paint)], { answer: yes });
    const outcome = await call("paint", { file_path: "x" });
    expect(outcome.result.content).toEqual([{ type: "image", data: "AAAA", mediaType: "image/png" }]);
    expect(events.some(({ type }) => type === "tool:execution:progress")).toBe(true);
  });
});

describe("this shape's own definitions", () => {
  it("J07 J09 a failure is a marked result and is logged once", async () => {
    const logged: string[] = [];
    const [definition] = toToolDefinitions([createSampleReadTool()], (message) => logged.push(message));
    expect(definition).toMatchObject({ name: "read_file", label: "read_file" });
    const failed = await definition!.execute("t1", { file_path: "b.txt" });
    expect(failed).toMatchObject({
      isError: true,
      details: { status: "error", tool: "read_file", error: "no such file: b.txt" },
    });
    expect(logged).toEqual(["[tools] read_file failed: no such file: b.txt"]);
    expect(await definition!.execute("t2", { file_path: "a.txt" })).not.toHaveProperty("isError");
    const token = `ghp_${"aB3".repeat(12)}`;
    await definition!.execute("t3", { file_path: token });
    expect(logged.at(-1)).toBe("[tools] read_file failed: no such file: [redacted GitHub token]");
  });

  it("J08 an abort is thrown on, and the pipeline makes one cancelled result of it", async () => {
    const stuck: AgentTool = {
      ...createSampleReadTool(),
      name: "stuck",
      execute: (_id, _params, signal) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    };
    const abort = new AbortController();
    const logged: string[] = [];
    const [definition] = toToolDefinitions([stuck], (message) => logged.push(message));
    const direct = definition!.execute("t1", {}, undefined, undefined, abort.signal);
    const { executor } = customTools([fromAgentTool(stuck)], { answer: yes });
    const piped = executor.run([{ id: "c1", tool: "stuck", input: { file_path: "x" } }], { signal: abort.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    await expect(direct).rejects.toThrow();
    expect([(await piped)[0]!.status, logged]).toEqual(["cancelled", []]);
  });
});

describe("Haft's tools in this shape", () => {
  it("A40 a factory's tool goes through the pipeline of its own toolbox", async () => {
    const { toolbox, events } = testToolbox([{ ...Get, name: "Read" }]);
    const read = createReadTool(toolbox);
    expect([read.name, read.label]).toEqual(["read", "read"]);
    const other = testToolbox([{ ...Get, name: "Read" }]);
    await expect(read.execute("t1", { path: "missing" })).rejects.toThrow();
    expect([events.length > 0, other.events.length]).toEqual([true, 0]);
    expect(() => toAgentTool(toolbox, "Write")).toThrow(/no tool "Write"/);
  });

  it("A40 a refusal is thrown in this shape", async () => {
    const { toolbox } = testToolbox([Put], {
      policy: () => ({
        mode: "default",
        generation: 1,
        decide: ({ effects }) => ({
          decision: "deny",
          reason: "never",
          trace: [],
          suggestions: [],
          grant: { effects, holes: [] },
        }),
      }),
    });
    await expect(toAgentTool(toolbox, "Put").execute("t1", { path: "a", text: "b" })).rejects.toThrow(/never/);
  });
});
