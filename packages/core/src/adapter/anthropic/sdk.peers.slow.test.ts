import Anthropic from "@anthropic-ai/sdk";
import { expect, expectTypeOf, it } from "vitest";
import { call, messageOf, say, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { memoryPorts } from "../../../test/support/memory.ts";
import { testToolbox } from "../../../test/support/toolbox.ts";
import { Get, Put } from "../../../test/support/tools.ts";
import { defineTool } from "../../tool/index.ts";
import { anthropic } from "./anthropic.ts";
import type { AnthropicMessage, AnthropicResults, AnthropicTool } from "./wire.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const Look = defineTool({
  name: "Look",
  description: "Looks at a picture.",
  input: { type: "object", properties: {} },
  effects: () => [],
  run: () => null,
  toModel: () => [{ type: "image", data: PIXEL, mediaType: "image/png" }],
});

const request = { model: "claude-test", max_tokens: 1000 };

function setUp(url: string) {
  const disk = new Map([["/w/a.ts", "export const a = 1\n"]]);
  const { toolbox } = testToolbox([Get, Put, Look], { ports: memoryPorts(disk) });
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  return { disk, client, adapter: anthropic(toolbox) };
}

it("D15 the real SDK takes what the adapter gives and gives what it takes", () => {
  expectTypeOf<AnthropicTool>().toExtend<Anthropic.Messages.ToolUnion>();
  expectTypeOf<AnthropicResults>().toExtend<Anthropic.Messages.MessageParam>();
  expectTypeOf<Anthropic.Messages.Message>().toExtend<AnthropicMessage>();
});

it("D15 A32 two turns through the real client: results fit, and the model's content goes back as it came", async () => {
  const first = messageOf([
    say("Reading, then looking."),
    call("toolu_01", "Get", { path: "a.ts" }),
    call("toolu_02", "Look", {}),
    call("toolu_03", "Put", { path: 5 }),
  ]);
  await using server = await wireServer([{ json: first }, { json: messageOf([say("Done.")]) }]);
  const { client, adapter } = setUp(server.url);
  const messages: Anthropic.Messages.MessageParam[] = [{ role: "user", content: "Go." }];
  for (;;) {
    const message = await client.messages.create({ ...request, tools: adapter.tools, messages });
    messages.push({ role: "assistant", content: message.content });
    const results = await adapter.run(message);
    if (!results) break;
    messages.push(results);
  }
  expect(server.bodies).toHaveLength(2);
  const second = JSON.parse(server.bodies[1]!);
  expect(server.bodies[1]).toContain(JSON.stringify(first.content));
  expect(second.messages[2].content).toEqual([
    { type: "tool_result", tool_use_id: "toolu_01", content: [{ type: "text", text: "export const a = 1\n" }] },
    {
      type: "tool_result",
      tool_use_id: "toolu_02",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
    },
    { type: "tool_result", tool_use_id: "toolu_03", content: [expect.anything()], is_error: true },
  ]);
});

it("E05 through the real client's stream: the file is there while the server still holds the message back", async () => {
  const events = streamOf([call("toolu_01", "Put", { path: "early.txt", text: "now" }), say("More to come.")]);
  const blockEnd = events.findIndex((event) => (event as { type: string }).type === "content_block_stop");
  let seen: string | undefined;
  const disk: { current?: Map<string, string> } = {};
  const look = async () => {
    for (let tries = 0; tries < 100 && seen === undefined; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen = disk.current?.get("/w/early.txt");
    }
  };
  await using server = await wireServer([
    { events: [...events.slice(0, blockEnd + 1), look, ...events.slice(blockEnd + 1)] },
  ]);
  const { client, adapter, disk: files } = setUp(server.url);
  disk.current = files;
  const stream = await client.messages.create({
    ...request,
    stream: true,
    tools: adapter.tools,
    messages: [{ role: "user", content: "Go." }],
  });
  const { message, results } = await adapter.run.stream(stream);
  expectTypeOf(message).toExtend<Anthropic.Messages.MessageParam>();
  expect(seen).toBe("now");
  expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(["toolu_01"]);
});

it("D06 a flip between two requests changes the second request's body", async () => {
  await using server = await wireServer([{ json: messageOf([say("1")]) }, { json: messageOf([say("2")]) }]);
  const { client, ...rest } = setUp(server.url);
  let off = false;
  const { toolbox } = testToolbox([Get, Put], {
    available: ({ tool }) => (off && tool.name === "Put" ? { absent: "switched off" } : true),
  });
  const adapter = anthropic(toolbox);
  const ask = () =>
    client.messages.create({ ...request, tools: adapter.tools, messages: [{ role: "user", content: "Go." }] });
  await ask();
  off = true;
  await ask();
  const names = server.bodies.map((body) => JSON.parse(body).tools.map(({ name }: { name: string }) => name));
  expect(names).toEqual([["Get", "Put"], ["Get"]]);
  expect(rest.disk.size).toBe(1);
});
