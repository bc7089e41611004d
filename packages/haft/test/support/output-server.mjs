// A server whose tools name a schema for their output and keep it, or do not, as raw as it comes.
import { createInterface } from "node:readline";

const outputSchema = { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] };
const text = (words) => [{ type: "text", text: words }];
const tools = {
  keeps: { outputSchema, result: { content: text("It is mild."), structuredContent: { degrees: 12 } } },
  breaks: { outputSchema, result: { content: text("It is cold."), structuredContent: { degrees: "minus two" } } },
  forgets: { outputSchema, result: { content: text("It is hot.") } },
  long: { outputSchema, result: { content: text("hot ".repeat(90_000)), structuredContent: { degrees: 31 } } },
  fails: { outputSchema, result: { content: text("No thermometer."), isError: true, structuredContent: { why: 1 } } },
  // A reference to nothing and a pattern that is none: some clients then list no tool at all.
  odd: {
    outputSchema: { type: "object", properties: { a: { $ref: "#/$defs/none" }, b: { type: "string", pattern: "(" } } },
    result: { content: text("It is odd."), structuredContent: {} },
  },
};
const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "output", version: "1" },
  }),
  "tools/list": () => ({
    tools: Object.entries(tools).map(([name, tool]) => ({
      name,
      inputSchema: { type: "object", properties: { anything: true, nothing: false, $any: { items: true } } },
      outputSchema: tool.outputSchema,
    })),
  }),
  "tools/call": ({ name }) => tools[name].result,
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
});
