import { anthropic, gemini, openai, openaiChat } from "@haft/core/adapter";
import { defineTool } from "@haft/core/tool";
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

/** The time that each wire format adds to a call, beside the same calls without one. */
export async function adapterFigures(): Promise<Figure[]> {
  const { toolbox } = testToolbox([Nothing]);
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
  const ways = { plain, ...formats };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  // In turns, so that what grows with the number of calls weighs on all of them alike.
  for (let round = 0; round < 40; round++)
    for (const [name, run] of Object.entries(ways)) {
      const from = performance.now();
      await run();
      if (round >= 10) times[name]?.push(((performance.now() - from) * 1000) / CALLS);
    }
  const base = minimum(times.plain ?? []);
  return Object.keys(formats).map((name) => ({
    ...{ name: `adapter ${name}: added to a call`, unit: "µs", limit: 20 },
    value: Math.max(0, minimum(times[name] ?? []) - base),
  }));
}
