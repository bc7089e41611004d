import { aiSdk, aiSdk6, anthropic, gemini, openai, openaiChat, type Toolbox } from "@haft/core/adapter";
import { defineTool } from "@haft/core/tool";
import { anthropicRunner } from "haft/anthropic-runner";
import { langchain } from "haft/langchain";
import { mastra } from "haft/mastra";
import { openaiAgents } from "haft/openai-agents";
import { pi } from "haft/pi";
import { verdict } from "../packages/core/test/support/machine.ts";
import { testToolbox } from "../packages/core/test/support/toolbox.ts";
import { type Figure, minimum } from "./measure.ts";

const CALLS = 100;

const Nothing = defineTool({
  name: "Nothing",
  description: "Does nothing.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  effects: () => [],
  run: () => "done",
});

/** Runs one call through the adapter of a framework, as the framework does. */
type FrameworkCall = (id: string, input: { text: string }) => Promise<unknown>;

/** The adapters of frameworks, with the least that stands for the framework's own constructors. */
function frameworks(toolbox: Toolbox): Record<string, FrameworkCall> {
  const own = {
    toolbox: { ...toolbox, host: { asks: true, record: { asked: () => {}, has: () => false, spend: () => {} } } },
  };
  const [agents] = openaiAgents(own).tools;
  const context = { isToolApproved: () => false };
  const tool = (run: unknown) => ({
    name: "Nothing",
    invoke: run as (input: never, config?: never) => Promise<unknown>,
  });
  class ToolMessage {
    readonly fields: unknown;
    constructor(fields: never) {
      this.fields = fields;
    }
  }
  const [chain] = langchain(own, { tool, ToolMessage }).tools;
  type MastraTool = { execute(input: unknown, context: unknown): Promise<unknown> };
  const { Nothing } = mastra(own, { createTool: (options: never) => options as MastraTool }).tools;
  const [runner] = anthropicRunner(own).tools;
  const [ofPi] = pi(own).tools;
  const sdk = aiSdk(toolbox);
  const sdk6 = aiSdk6(toolbox);
  const [tool7, tool6] = [sdk.tools.Nothing!, sdk6.tools.Nothing!];
  // All calls of a step have one list of messages.
  let messages: never[] = [];
  const step = () => {
    const current = messages;
    queueMicrotask(() => {
      if (current === messages) messages = [];
    });
    return current;
  };
  return {
    "openai-agents": (callId, input) => agents!.invoke(context, JSON.stringify(input), { toolCall: { callId } }),
    langchain: (toolCallId, input) => chain!.invoke(input as never, { toolCallId } as never),
    mastra: (toolCallId, input) => Nothing!.execute(input, { agent: { toolCallId } }),
    "anthropic-runner": (id, input) => runner!.run(input, { toolUse: { id } }),
    pi: (id, input) => ofPi!.execute(id, input),
    // These frameworks first ask whether the call needs an approval, which is one decision more.
    "openai-agents, asking first": async (callId, input) => {
      await agents!.needsApproval(context, input, callId);
      return agents!.invoke(context, JSON.stringify(input), { toolCall: { callId } });
    },
    "ai-sdk, asking first": async (toolCallId, input) => {
      const messages = step();
      await sdk.toolApproval({ toolCall: { toolCallId, toolName: "Nothing", input }, messages });
      return tool7.execute(input, { toolCallId, messages });
    },
    "ai-sdk-6, asking first": async (toolCallId, input) => {
      const messages = step();
      await tool6.needsApproval(input, { toolCallId, messages });
      return tool6.execute(input, { toolCallId, messages });
    },
  };
}

/** The time that each wire format and each framework's adapter adds to a call, beside the same calls without one. */
export async function adapterFigures(): Promise<Figure[]> {
  const { toolbox } = testToolbox([Nothing], {
    loopGuard: false,
    policy: () => ({ mode: "default", generation: 1, decide: (situation) => verdict("allow", situation) }),
  });
  const args = { text: "x" };
  const json = JSON.stringify(args);
  let count = 0;
  const ids = () => Array.from({ length: CALLS }, () => `c${++count}`);
  const plain = async () => {
    const batch = toolbox.open();
    for (const id of ids()) void batch.add({ id, tool: "Nothing", input: args });
    await batch.end();
  };
  const formats: Record<string, () => Promise<unknown>> = {
    anthropic: () =>
      anthropic(toolbox).run({ content: ids().map((id) => ({ type: "tool_use", id, name: "Nothing", input: args })) }),
    openai: () =>
      openai(toolbox).run({
        output: ids().map((call_id) => ({ type: "function_call", call_id, name: "Nothing", arguments: json })),
      }),
    "openai-chat": () => {
      const call = (id: string) => ({ id, type: "function", function: { name: "Nothing", arguments: json } });
      return openaiChat(toolbox).run({ choices: [{ message: { tool_calls: ids().map(call) } }] });
    },
    gemini: () => {
      const parts = ids().map((id) => ({ functionCall: { id, name: "Nothing", args } }));
      return gemini(toolbox).run({ candidates: [{ content: { parts } }] });
    },
  };
  const inFrameworks = Object.entries(frameworks(toolbox)).map(([name, call]) => [
    name,
    () => Promise.all(ids().map((id) => call(id, args))),
  ]);
  const adapters: Record<string, () => Promise<unknown>> = { ...formats, ...Object.fromEntries(inFrameworks) };
  const ways = { plain, ...adapters };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  // In turns, so that what grows with the number of calls weighs on all of them alike.
  for (let round = 0; round < 40; round++)
    for (const [name, run] of Object.entries(ways)) {
      const from = performance.now();
      await run();
      if (round >= 10) times[name]?.push(((performance.now() - from) * 1000) / CALLS);
    }
  const base = minimum(times.plain ?? []);
  return Object.keys(adapters).map((name) => ({
    ...{ name: `adapter ${name}: added to a call`, unit: "µs", limit: 20 },
    value: Math.max(0, minimum(times[name] ?? []) - base),
  }));
}
