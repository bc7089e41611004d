import { contentsText } from "@haft/core/tool";
import { McpServer } from "@modelcontextprotocol/server";
import { tool } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const open = (tools: HaftOptions["tools"], allow: string[] = []) =>
  createHaft({ settings: false, stateDir: false, tools: tools!, rules: { allow } });

const weather = tool({
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string().describe("The city.") }),
  execute: async ({ city }, { toolCallId }) => `${city}: sun (${toolCallId})`,
});

it("a tool of the AI SDK is taken as it is, under the name of its record, and asks unless a rule allows it", async () => {
  await using haft = await open([{ weather }], ["weather"]);
  expect(contentsText((await haft.call("weather", { city: "Bern" }, { id: "c1" })).content)).toBe("Bern: sun (c1)");
  expect((await haft.call("weather", { town: "Bern" })).error?.code).toBe("invalid_input");
  await using unasked = await open([{ weather }]);
  expect((await unasked.call("weather", { city: "Bern" })).error?.code).toBe("needs_approval");
});

it("its own needsApproval asks, although a rule allows it", async () => {
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 100,
    execute: async ({ amount }) => ({ paid: amount }),
  });
  await using haft = await open([{ name: "pay", ...pay }], ["pay"]);
  expect((await haft.call("pay", { amount: 5 })).output).toEqual({ paid: 5 });
  expect((await haft.call("pay", { amount: 500 })).error).toMatchObject({
    message: expect.stringContaining("pay asks for approval itself"),
  });
});

it("a tool of an MCP server: content, and its own errors", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const add = server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    a < 0
      ? { content: [{ type: "text", text: "a is negative" }], isError: true }
      : { content: [{ type: "text", text: String(a + b) }] },
  );
  await using haft = await open([{ add }], ["add"]);
  expect(contentsText((await haft.call("add", { a: 1, b: 2 })).content)).toBe("3");
  expect((await haft.call("add", { a: -1, b: 2 })).error).toMatchObject({ message: "a is negative" });
});

it("the error for an object that cannot be a tool names its shape and the cure", async () => {
  const client = tool({ inputSchema: z.object({}) });
  const server = new McpServer({ name: "s", version: "1" });
  const cases: [unknown, string, string][] = [
    [weather, "a tool of the AI SDK without a name", "tools: [{ weather: tool }]"],
    [client, "a tool without `execute`", "leave it out"],
    [server, "an MCP server", "mcpServers"],
    [() => 1, "a function", "the tool object"],
    [{ colour: "red" }, "an object with the fields colour", "defineTool"],
    [{ type: "provider", id: "x.search", args: {} }, "a tool that runs at the provider", "model request"],
  ];
  for (const [given, shape, cure] of cases) {
    const failure = await open([given as never]).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining(`tools[0] is ${shape}`),
    });
    expect(failure).toMatchObject({ hint: expect.stringContaining(cure) });
  }
});
