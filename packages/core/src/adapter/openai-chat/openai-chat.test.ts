import { expect, it, vi } from "vitest";
import { events, stream, WRITTEN, whole, wireBox } from "../../../test/support/wire-cases.ts";
import { openaiChat } from "./openai-chat.ts";
import type { ChatChunk, ChatCompletion, ChatResult } from "./wire.ts";

function box() {
  const { toolbox, ...rest } = wireBox();
  return { ...rest, adapter: openaiChat(toolbox) };
}

const [, , withPicture] = whole<ChatResult[]>("openai-chat.results.json");
const picture = withPicture?.content[1];
const golden = [
  {
    role: "tool",
    tool_call_id: "call_01",
    content: "1\texport const a = 1\n\n[file 1 of this result follows in the next user message]",
  },
  { role: "tool", tool_call_id: "call_02", content: "wrote out/b.txt" },
  { role: "user", content: [{ type: "text", text: "File 1 of the result of call_01:" }, picture] },
];
const chunks = events<ChatChunk>("openai-chat.stream.jsonl");

it("D05 B09 client tools keep their own optional fields, and are strict only on request", () => {
  const { toolbox } = wireBox();
  expect(openaiChat(toolbox).tools[0]).toEqual({
    type: "function",
    function: {
      name: "Read",
      description: "Reads a file.",
      parameters: {
        type: "object",
        properties: {
          file_path: { type: "string", description: "A path." },
          limit: { type: "integer", minimum: 1, description: "How many lines." },
        },
        required: ["file_path"],
      },
    },
  });
  expect(openaiChat(toolbox, { strict: true }).tools[0]?.function).toMatchObject({ strict: true });
});

it("D05 H14 tool messages are text, and their pictures follow in one message of the user", async () => {
  const { adapter, disk } = box();
  expect(await adapter.run(whole<ChatCompletion>("openai-chat.response.json"))).toEqual(golden);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  expect(await adapter.run({ choices: [{ message: {}, finish_reason: "stop" }] })).toEqual([]);
});

it("E06 streams give the same results: in order, interleaved, and with one index and no ids", async () => {
  for (const name of ["openai-chat.stream.jsonl", "openai-chat.stream.interleaved.jsonl"]) {
    const { adapter, disk } = box();
    const turn = await adapter.run.stream(stream(events<ChatChunk>(name)));
    expect(turn.results).toEqual(golden);
    expect(turn.stopReason).toBe("tool_calls");
    expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
    expect(turn.message.tool_calls?.map(({ id }) => id)).toEqual(["call_01", "call_02"]);
  }
  const { adapter, started } = box();
  const turn = await adapter.run.stream(stream(events<ChatChunk>("openai-chat.stream.compatible-quirks.jsonl")));
  const ids = turn.message.tool_calls?.map(({ id }) => id) ?? [];
  expect(started()).toEqual(["Read", "Write"]);
  expect(new Set(ids).size).toBe(2);
  expect(turn.results.slice(0, 2)).toMatchObject(ids.map((tool_call_id) => ({ role: "tool", tool_call_id })));
});

it("E05 a call runs when its arguments are a whole object; one after it waits for those before it", async () => {
  const { adapter, disk } = box();
  let seen: string | undefined;
  const look = async () => {
    await vi.waitFor(() => expect(disk.get("/w/out/b.txt")).toBe(WRITTEN), { timeout: 10_000, interval: 1 });
    seen = disk.get("/w/out/b.txt");
  };
  const end = chunks.findIndex(({ choices }) => choices[0]?.finish_reason);
  await adapter.run.stream(stream<ChatChunk>([...chunks.slice(0, end), look, ...chunks.slice(end)]));
  expect(seen).toBe(WRITTEN);
});

it("E14 a length limit: half arguments do not run, streamed or whole", async () => {
  const open = (index: number, id: string, name: string, args: string): ChatChunk => ({
    choices: [{ delta: { tool_calls: [{ index, id, function: { name, arguments: args } }] } }],
  });
  const parts = [
    open(0, "a", "Read", '{"file_path": "src/a.ts"}'),
    open(1, "b", "Write", '{"file_path": "out/b.txt", "con'),
    { choices: [{ delta: {}, finish_reason: "length" }] },
  ];
  const { adapter, started } = box();
  const turn = await adapter.run.stream(stream(parts));
  expect(started()).toEqual(["Read"]);
  expect(turn.results[1]).toMatchObject({ tool_call_id: "b", content: expect.stringContaining("length limit") });
  const tool_calls = turn.message.tool_calls ?? [];
  const plain = await box().adapter.run({ choices: [{ message: { tool_calls }, finish_reason: "length" }] });
  expect(plain).toEqual(turn.results);
});

it("E05 a stream that breaks off before any call started throws", async () => {
  const { adapter } = box();
  await expect(adapter.run.stream(stream(chunks.slice(0, 2)))).rejects.toThrow("ended before the message was complete");
});
