import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { fromAgentTool, jsonResult } from "@haft/core/compat/agent-tool";
import { BaseDeclarativeTool, BaseToolInvocation, fromDeclarative, Kind } from "@haft/core/compat/declarative";
import { fromSema } from "@haft/core/compat/sema";
import { fromToolDefine, Tool, toolFunctions } from "@haft/core/compat/tool-define";
import { contentsText, type ToolLike } from "@haft/core/tool";
import { stepCountIs, streamText } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const open = (tool: ToolLike, options: HaftOptions = {}) =>
  createHaft({ settings: false, stateDir: false, tools: [tool], rules: { allow: [tool.name] }, ...options });

it("H04 a result of the AgentTool shape may hold a BigInt or a cycle", async () => {
  const circle: Record<string, unknown> = { size: 12n };
  circle.self = circle;
  const Count = fromAgentTool({
    name: "Count",
    description: "Counts.",
    parameters: z.object({}),
    execute: async () => jsonResult(circle),
  });
  await using haft = await open(Count);
  const { content, error } = await haft.call("Count", {});
  expect(error).toBeUndefined();
  expect(JSON.parse(contentsText(content))).toEqual({ size: "12", self: "[circular]" });
});

it("A42 a tool of the Tool.define shape learns which message of the model made its call", async () => {
  const Where = fromToolDefine(
    Tool.define("Where", {
      name: "Where",
      category: "custom",
      description: "Tells where it is.",
      parameters: z.object({}),
      execute: async (_args, { messageId }) => ({ title: "", output: messageId, metadata: {} }),
    }),
  );
  await using haft = await open(Where);
  const call = { type: "tool_use", id: "toolu_1", name: "Where", input: {} } as const;
  const answer = await haft.for("anthropic").run({ id: "msg_1", content: [call] });
  expect(answer?.content[0]?.content).toEqual([{ type: "text", text: "msg_1" }]);
  expect(contentsText((await haft.call("Where", {})).content)).not.toBe("");
});

class Shown extends BaseToolInvocation<object, { llmContent: string; returnDisplay: string }> {
  getDescription = () => "Shows its terminal.";
  async execute(_signal: AbortSignal, _update?: (output: string) => void, shellConfig?: object) {
    const text = JSON.stringify(shellConfig);
    return { llmContent: text, returnDisplay: text };
  }
}
class Terminal extends BaseDeclarativeTool<object, { llmContent: string; returnDisplay: string }> {
  protected createInvocation = (params: object) => new Shown(params);
}

it("G16 a tool of the class route is given the settings of the shell, but not its variables", async () => {
  const tool = new Terminal("Terminal", "Terminal", "Shows.", Kind.Think, { type: "object", properties: {} });
  await using haft = await open(fromDeclarative(tool), {
    shell: { columns: 90, rows: 20, pager: "less", color: true, env: { TOKEN: "secret" } },
  });
  const { content } = await haft.call("Terminal", {});
  expect(JSON.parse(contentsText(content))).toEqual({
    terminalWidth: 90,
    terminalHeight: 20,
    pager: "less",
    showColor: true,
  });
});

it("D02 getToolsForAI: a streamText loop makes a call, and its result reaches the second request", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-for-ai-")));
  writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
  await using haft = await createHaft({ cwd, settings: false, stateDir: false });
  const { getToolsForAI, getMCPToolsForAI, initializeToolRegistry } = toolFunctions(() => haft);
  await initializeToolRegistry();
  expect(getMCPToolsForAI()).toEqual({});
  await using server = await wireServer([
    { events: streamOf([call("t1", "Read", { file_path: "a.ts" })]) },
    { events: streamOf([say("Done.")]) },
  ]);
  const { Read, Glob } = getToolsForAI();
  const model = createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` })("claude-test");
  const result = streamText({ model, prompt: "Go.", tools: { Read: Read!, Glob: Glob! }, stopWhen: stepCountIs(3) });
  await result.consumeStream();
  expect(server.bodies[1]).toContain("export const a");
});

it.each([
  [undefined, "needs_approval"],
  [true as const, undefined],
])("F22 a read-only tool of another shape asks, and with trust %s it ends with %s", async (trust, code) => {
  const Shout = fromSema<typeof SHOUT, string>(
    {
      name: "Shout",
      inputSchema: SHOUT,
      isReadOnly: () => true,
      genResultForAssistant: (output) => output,
      async *call({ text }) {
        yield { type: "result", data: text.toUpperCase() };
      },
    },
    trust ? { trust } : {},
  );
  await using haft = await open(Shout, { rules: {} });
  const { error } = await haft.call("Shout", { text: "a" });
  expect(error?.code).toBe(code);
  if (error) expect(error.hint).toMatch(/a rule that allows it.*autoExecute: true.*basis: "enforced"/);
});

const SHOUT = z.object({ text: z.string().describe("What to shout.") });
