import { defineTool } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { blockEvents, call, endOf, say, startOf, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { type WireAnswer, wireServer } from "../../../../test/support/wire-server.ts";
import { Get, Put } from "../../../core/test/support/tools.ts";
import { agentSetup } from "../../test/support/agent.ts";
import { runAgent } from "./loop.ts";
import { userMessage } from "./message.ts";
import { withEffort } from "./model.ts";
import { openModel } from "./provider/open-model.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const Look = defineTool({
  name: "Look",
  description: "Looks at a picture.",
  input: { type: "object", properties: {} },
  effects: () => [],
  can: [],
  run: () => null,
  toModel: () => [
    { type: "text", text: "MEDIA:/w/a.png" },
    { type: "image", data: PIXEL, mediaType: "image/png" },
  ],
});

const go = [userMessage("Go.")];

beforeEach(() => vi.stubGlobal("AI_SDK_LOG_WARNINGS", false));
afterEach(() => vi.unstubAllGlobals());

/** A run against a real server over the real SDK, by way of the environment alone. */
async function setUp(answers: readonly WireAnswer[], version = "/v1") {
  const server = await wireServer(answers);
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}${version}` };
  const model = await openModel("anthropic/claude-test", env, { maxRetries: 0 });
  return { ...agentSetup([Get, Put, Look]), server, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const messagesOf = (body: string | undefined) => JSON.parse(body ?? "{}").messages;

it.each(["", "/", "/v1", "/v1/"])(
  "D15 the address of Anthropic counts with and without its version (%s)",
  async (version) => {
    await using run = await setUp([{ events: streamOf([say("Done.")]) }], version);
    expect(await runAgent({ ...run, messages: go })).toMatchObject({ reason: "answered" });
    expect(run.server.paths).toEqual(["/v1/messages"]);
  },
);

it("D15 A32 two turns: results in order, and the model's content goes back exactly as it came", async () => {
  const first = [
    { type: "thinking", thinking: "Look first.", signature: "c2ln" } as const,
    say("Reading and writing."),
    call("toolu_01", "Get", { path: "a.ts", more: { z: 1, a: [null] } }),
    call("toolu_02", "Put", { path: "b", text: 'line "1"\n✓' }),
    call("toolu_03", "Gett", {}),
  ];
  await using run = await setUp([{ events: streamOf(first) }, { events: streamOf([say("Done.")]) }]);
  const end = await runAgent({ ...run, messages: go });
  expect(end).toMatchObject({ reason: "answered", text: "Done.", turns: 2 });
  const [, assistant, results] = messagesOf(run.server.bodies[1]);
  expect(assistant.content.map(({ caller: _, ...block }: { caller?: unknown }) => JSON.stringify(block))).toEqual(
    first.map((block) => JSON.stringify(block)),
  );
  expect(results.role).toBe("user");
  expect(
    results.content.map(({ tool_use_id, is_error = false }: Record<string, unknown>) => [tool_use_id, is_error]),
  ).toEqual([
    ["toolu_01", false],
    ["toolu_02", false],
    ["toolu_03", true],
  ]);
  expect(run.disk.get("/w/b")).toBe('line "1"\n✓');
});

it("H03 H14 an image in a result reaches the wire as an image block", async () => {
  await using run = await setUp([{ events: streamOf([call("t1", "Look", {})]) }, { events: streamOf([say("Nice.")]) }]);
  await runAgent({ ...run, messages: go });
  expect(messagesOf(run.server.bodies[1])[2].content).toMatchObject([
    {
      type: "tool_result",
      tool_use_id: "t1",
      content: [
        { type: "text", text: "MEDIA:/w/a.png" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ],
    },
  ]);
});

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});

it("H03 if results are text only, the image follows in a message behind all of them", async () => {
  const look = (index: number) => ({
    index,
    id: `t${index}`,
    type: "function",
    function: { name: "Look", arguments: "{}" },
  });
  await using server = await wireServer([
    {
      style: "openai",
      events: [chunk({ role: "assistant", tool_calls: [look(0), look(1)] }), chunk({}, "tool_calls")],
    },
    { style: "openai", events: [chunk({ role: "assistant", content: "Nice." }), chunk({}, "stop")] },
  ]);
  const model = await openModel("compatible/local-test", { OPENAI_BASE_URL: `${server.url}/v1` });
  const end = await runAgent({ ...agentSetup([Look]), model, messages: go });
  expect(end.text).toBe("Nice.");
  const [, , , first, second, shown, ...rest] = messagesOf(server.bodies[1]);
  expect([first.role, second.role, shown.role, rest]).toEqual(["tool", "tool", "user", []]);
  expect(first.content).not.toContain(PIXEL);
  expect(shown.content.slice(1)).toMatchObject([
    { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]);
});

it("E05 a call's effect is on the disk while the server still holds back the rest of the message", async () => {
  const seen: unknown[] = [];
  const box: { disk?: Map<string, string> } = {};
  const look = async () => {
    for (let tries = 0; tries < 100 && !box.disk?.has("/w/early"); tries++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(box.disk?.get("/w/early"));
  };
  await using run = await setUp([
    {
      events: [
        ...startOf(),
        ...blockEvents(call("t1", "Put", { path: "early", text: "now" }), 0),
        look,
        ...blockEvents(call("t2", "Get", { path: "early" }), 1),
        ...endOf("tool_use"),
      ],
    },
    { events: streamOf([say("Done.")]) },
  ]);
  box.disk = run.disk;
  await runAgent({ ...run, messages: go });
  expect(seen).toEqual(["now"]);
  expect(JSON.stringify(messagesOf(run.server.bodies[1])[2].content[1])).toContain('"now"');
});

it("D06 D11 a change of the tools between two requests changes the second request's body", async () => {
  await using run = await setUp([{ events: streamOf([call("t1", "Look", {})]) }, { events: streamOf([say("Done.")]) }]);
  const onEvent = ({ type }: { type: string }) => {
    if (type === "message") run.registry.remove("Put");
  };
  await runAgent({ ...run, messages: go, onEvent });
  const offered = run.server.bodies.map((body) => JSON.parse(body).tools.map(({ name }: { name: string }) => name));
  expect(offered).toEqual([
    ["Get", "Put", "Look"],
    ["Get", "Look"],
  ]);
  expect(JSON.stringify(JSON.parse(run.server.bodies[0]!).system)).toContain("make them all in one turn");
});

it("D06 an unchanged offer is the same bytes, so that the provider's cache holds", async () => {
  await using run = await setUp([{ events: streamOf([call("t1", "Look", {})]) }, { events: streamOf([say("Done.")]) }]);
  await runAgent({ ...run, messages: go });
  const [first, second] = run.server.bodies.map((body) => JSON.stringify(JSON.parse(body).tools));
  expect(second).toBe(first);
});

it("E14 the length limit cuts a call: it never runs, the model is told, and the next request is whole", async () => {
  for (const json of ['{"path": "b", "te', ""]) {
    await using run = await setUp([
      { events: streamOf([call("t1", "Get", { path: "a.ts" }), call("t2", "Put", {}, json)], "max_tokens") },
      { events: streamOf([say("Smaller, then.")]) },
    ]);
    const end = await runAgent({ ...run, messages: go });
    expect(end).toMatchObject({ reason: "answered", turns: 2 });
    expect(run.started()).toEqual(["t1"]);
    const [, assistant, results] = messagesOf(run.server.bodies[1]);
    expect(assistant.content.map(({ id }: { id: string }) => id)).toEqual(["t1", "t2"]);
    expect(results.content[1]).toMatchObject({ tool_use_id: "t2", is_error: true });
    expect(JSON.stringify(results.content[1])).toContain("length limit");
  }
});

it("E05 a connection that breaks in the middle of a call: a finished call stays, half a call never runs, the run goes on", async () => {
  const half = blockEvents(call("t2", "Put", { path: "half", text: "x" }), 1).slice(0, 4);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 30));
  await using run = await setUp([
    {
      events: [...startOf(), ...blockEvents(call("t1", "Put", { path: "kept", text: "x" }), 0), wait, ...half],
      breakOff: true,
    },
    { events: streamOf([say("Going on.")]) },
  ]);
  const end = await runAgent({ ...run, messages: go });
  expect(end).toMatchObject({ reason: "answered", text: "Going on." });
  expect([...run.disk.keys()]).toEqual(["/w/a.ts", "/w/kept"]);
  const [, assistant, results] = messagesOf(run.server.bodies[1]);
  const uses = assistant.content
    .filter(({ type }: { type: string }) => type === "tool_use")
    .map(({ id }: { id: string }) => id);
  expect(results.content.map(({ tool_use_id }: { tool_use_id: string }) => tool_use_id)).toEqual(uses);
  expect(uses).toContain("t1");
});

it("E25 a refused key ends the run with the provider's error, and nothing is tried again", async () => {
  const error = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } };
  await using run = await setUp([{ status: 401, json: error }]);
  const end = await runAgent({ ...run, messages: go });
  expect(end).toMatchObject({ reason: "error", turns: 1, messages: go });
  expect(String(end.error)).toContain("invalid x-api-key");
});

it("E25 an interrupt aborts the request, and a finished call has its result", async () => {
  const abort = new AbortController();
  const hold = () => new Promise((resolve) => setTimeout(resolve, 2_000).unref());
  await using run = await setUp([
    {
      events: [
        ...startOf(),
        ...blockEvents(call("t1", "Put", { path: "b", text: "x" }), 0),
        hold,
        ...endOf("tool_use"),
      ],
    },
  ]);
  const onEvent = ({ type }: { type: string }) => {
    if (type === "call") setTimeout(() => abort.abort(), 30);
  };
  const end = await runAgent({ ...run, messages: go, signal: abort.signal, onEvent });
  expect(end.reason).toBe("cancelled");
  expect(end.messages.at(-1)).toMatchObject({ role: "results", results: [{ callId: "t1", status: "ok" }] });
});

it("S13 the amount of thinking goes to the provider, in its own words", async () => {
  await using run = await setUp([{ events: streamOf([say("Done.")]) }, { events: streamOf([say("Done.")]) }]);
  await runAgent({ ...run, model: withEffort(run.model, "low"), messages: go });
  await runAgent({ ...run, messages: go });
  const [low, plain] = run.server.bodies.map((body) => JSON.parse(body));
  expect([low.output_config, plain.output_config]).toEqual([{ effort: "low" }, undefined]);
});
