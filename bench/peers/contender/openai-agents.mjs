// OpenAI Agents SDK: one run with a model that calls one tool and then stops. Tracing is off.
import { Agent, Runner, tool, Usage } from "@openai/agents";
import { z } from "zod";

export const open = async ({ count = 1 }) => {
  const parameters = z.object({ n: z.number().describe("A number.") });
  const nothing = (name) =>
    tool({ name, description: "Does nothing.", parameters, execute: async ({ n }) => String(n) });
  const names = ["Nothing", ...Array.from({ length: count - 1 }, (_, at) => `Tool${at}`)];
  let asked = 0;
  const model = {
    async getResponse() {
      asked += 1;
      const call = { type: "function_call", callId: `c${asked}`, name: "Nothing", arguments: `{"n":${asked}}` };
      const text = {
        ...{ type: "message", role: "assistant", status: "completed", id: `m${asked}` },
        content: [{ type: "output_text", text: "Done." }],
      };
      const output = [asked % 2 === 1 ? { ...call, status: "completed" } : text];
      return { usage: new Usage(), output, responseId: `r${asked}` };
    },
    getStreamedResponse() {
      throw new Error("not streamed");
    },
  };
  const agent = new Agent({ name: "bench", model, tools: names.map(nothing) });
  const runner = new Runner({ tracingDisabled: true });
  return {
    ops: {
      async turn(_, time) {
        const { finalOutput } = await runner.run(agent, `Go on, ${time}.`);
        if (finalOutput !== "Done.") throw new Error(`an unexpected end: ${finalOutput}`);
      },
    },
  };
};
