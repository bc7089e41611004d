import { expect, it } from "vitest";
import { call, messageOf, say, stream, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { memoryPorts } from "../../../test/support/memory.ts";
import { testToolbox } from "../../../test/support/toolbox.ts";
import { Get, Put } from "../../../test/support/tools.ts";
import { defineTool } from "../../tool/index.ts";
import { anthropic } from "./anthropic.ts";

const Explode = defineTool({
  name: "Explode",
  description: "Fails.",
  input: { type: "object", properties: {} },
  run: () => {
    throw "not even an error";
  },
});

const two = [
  say("Reading, then writing."),
  call("toolu_01", "Get", { path: "a.ts" }),
  call(
    "toolu_02",
    "Put",
    { path: "b.txt", text: 'line "1"\n✓' },
    '{"path": "b.txt", "text": "line \\"1\\"\\n\\u2713"}',
  ),
];

function box() {
  const disk = new Map([["/w/a.ts", "export const a = 1\n"]]);
  const { toolbox, registry, events } = testToolbox([Get, Put, Explode], { ports: memoryPorts(disk) });
  return { disk, registry, events, adapter: anthropic(toolbox) };
}

const starts = (events: readonly { readonly type: string }[]) =>
  events.filter(({ type }) => type === "tool:execution:start").length;

it("D15 one message in, one user message out: every call has its result, in call order", async () => {
  const { disk, adapter } = box();
  expect(await adapter.run(messageOf(two))).toEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_01", content: [{ type: "text", text: "export const a = 1\n" }] },
      { type: "tool_result", tool_use_id: "toolu_02", content: [{ type: "text", text: "wrote b.txt" }] },
    ],
  });
  expect(disk.get("/w/b.txt")).toBe('line "1"\n✓');
});

it("D15 a message without calls has nothing to append", async () => {
  const { adapter } = box();
  expect(await adapter.run(messageOf([say("Done.")]))).toBeNull();
});

it("E06 the same message, whole and streamed, gives the same message and the same results", async () => {
  const whole = box();
  const streamed = box();
  const results = await whole.adapter.run(messageOf(two));
  const turn = await streamed.adapter.run.stream(stream(streamOf(two)));
  expect(turn.results).toEqual(results);
  expect(turn.message.content).toMatchObject(messageOf(two).content);
  expect(turn.stopReason).toBe("tool_use");
  expect(turn.error).toBeUndefined();
});

it("A32 the message that goes back to the model has its input byte for byte, even if a tool derives another", async () => {
  const Observed = defineTool({ ...Get, name: "Get", observe: ({ path }) => ({ path: `/w/${path}`, seen: true }) });
  const { toolbox } = testToolbox([Observed], { ports: memoryPorts(new Map([["/w/a.ts", "a"]])) });
  const message = messageOf([call("toolu_01", "Get", { path: "a.ts", unknown_extra: [1, { b: null }] })]);
  const before = JSON.stringify(message);
  await anthropic(toolbox).run(message);
  expect(JSON.stringify(message)).toBe(before);
});

it("A32 a streamed message is put together as it came, key by key", async () => {
  const json = '{"text":"x","path":"z.txt","__proto__":{"a":1},"n":1.5}';
  const { adapter } = box();
  const { message } = await adapter.run.stream(stream(streamOf([call("toolu_01", "Put", {}, json)])));
  const [block] = message.content as unknown as { input: unknown }[];
  expect(JSON.stringify(block?.input)).toBe(json);
});

it("J10 refused, unknown and crashed calls are results with is_error", async () => {
  const { adapter } = box();
  const results = await adapter.run(
    messageOf([call("t1", "Gett", {}), call("t2", "Put", { path: 7 }), call("t3", "Explode", {})]),
  );
  expect(results?.content.map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
    ["t1", true],
    ["t2", true],
    ["t3", true],
  ]);
  expect(JSON.stringify(results)).toContain("not even an error");
  expect(JSON.stringify(results)).toContain("Did you mean Get?");
});

it("E14 when the message hit its length limit, the last call never runs and has a result", async () => {
  const { disk, events, adapter } = box();
  const results = await adapter.run(messageOf(two, "max_tokens"));
  expect(results?.content.map(({ is_error }) => is_error === true)).toEqual([false, true]);
  expect(disk.has("/w/b.txt")).toBe(false);
  expect(starts(events)).toBe(1);
});

it("E14 a cancelled run still answers every call", async () => {
  const { adapter, disk } = box();
  const results = await adapter.run(messageOf(two), { signal: AbortSignal.abort() });
  expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(["toolu_01", "toolu_02"]);
  expect(results?.content.every(({ is_error }) => is_error)).toBe(true);
  expect(disk.has("/w/b.txt")).toBe(false);
});

it("D06 the tools are those of this moment, in a stable order", () => {
  const { adapter, registry } = box();
  const before = adapter.tools;
  expect(before.map(({ name }) => name)).toEqual(["Get", "Put", "Explode"]);
  expect(before[0]?.input_schema).toEqual({
    type: "object",
    properties: { path: { type: "string", description: "A path." } },
    required: ["path"],
  });
  expect(JSON.stringify(adapter.tools)).toBe(JSON.stringify(before));
  registry.remove("Put");
  expect(adapter.tools.map(({ name }) => name)).toEqual(["Get", "Explode"]);
});

it("D14 a tool whose name no provider takes is offered under another and called by it", async () => {
  const { toolbox } = testToolbox([Object.assign(Object.create(null), Get, { name: "mcp.files/Get" })], {
    ports: memoryPorts(new Map([["/w/a.ts", "found"]])),
  });
  const adapter = anthropic(toolbox, { cacheControl: { type: "ephemeral" } });
  const [tool] = adapter.tools;
  expect(tool?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(tool?.cache_control).toEqual({ type: "ephemeral" });
  const results = await adapter.run(messageOf([call("t1", tool!.name, { path: "a.ts" })]));
  expect(results?.content[0]?.content).toEqual([{ type: "text", text: "found" }]);
});
