// AI SDK: one turn of generateText with a model that calls one tool and then stops. It has no policy.
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const open = async ({ count = 1 }) => {
  const inputSchema = jsonSchema({ type: "object", properties: { n: { type: "number", description: "A number." } } });
  const nothing = () => tool({ description: "Does nothing.", inputSchema, execute: async ({ n }) => n });
  const names = ["Nothing", ...Array.from({ length: count - 1 }, (_, at) => `Tool${at}`)];
  const tools = Object.fromEntries(names.map((name) => [name, nothing()]));
  let asked = 0;
  const model = new MockLanguageModelV4({
    async doGenerate() {
      asked += 1;
      const calls = asked % 2 === 1;
      const content = calls
        ? [{ type: "tool-call", toolCallId: `c${asked}`, toolName: "Nothing", input: `{"n":${asked}}` }]
        : [{ type: "text", text: "Done." }];
      return { content, finishReason: { unified: calls ? "tool-calls" : "stop" }, usage, warnings: [] };
    },
  });
  return {
    ops: {
      async turn(_, time) {
        const { steps } = await generateText({ model, tools, stopWhen: stepCountIs(3), prompt: `Go on, ${time}.` });
        if (steps.length !== 2) throw new Error(`expected two steps, got ${steps.length}`);
      },
    },
  };
};
