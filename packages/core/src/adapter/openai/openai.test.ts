import { expect, it, vi } from "vitest";
import { events, stream, WRITTEN, whole, wireBox } from "../../../test/support/wire-cases.ts";
import { openai } from "./openai.ts";
import { isFunctionCall, type OpenAiEvent, type OpenAiItem, type OpenAiOutput, type OpenAiResponse } from "./wire.ts";

const golden = whole<OpenAiOutput[]>("openai-responses.results.json");
const functions = events<OpenAiEvent>("openai-responses.stream.functions.jsonl");

function box() {
  const { toolbox, ...rest } = wireBox();
  return { ...rest, adapter: openai(toolbox) };
}

const callsOf = (response: OpenAiResponse): OpenAiResponse => ({
  ...response,
  output: response.output.filter((item: OpenAiItem) => item.type === "reasoning" || isFunctionCall(item)),
});

it("D05 B09 the tools of a request are strict, and every field is there", () => {
  expect(box().adapter.tools[0]).toEqual({
    type: "function",
    name: "Read",
    description: "Reads a file.",
    strict: true,
    parameters: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "A path." },
        limit: { type: ["integer", "null"], minimum: 1, description: "How many lines." },
      },
      required: ["file_path", "limit"],
      additionalProperties: false,
    },
  });
});

it("D05 H14 a response in, the items of the next request out: matched by call_id, pictures as a list", async () => {
  const { adapter, disk } = box();
  const response = callsOf(whole("openai-responses.response.json"));
  const before = JSON.stringify(response);
  expect(await adapter.run(response)).toEqual([
    golden[0],
    { type: "function_call_output", call_id: "call_02", output: "wrote out/b.txt" },
  ]);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  expect(JSON.stringify(response)).toBe(before);
  expect(await adapter.run({ output: [{ type: "message" }] })).toEqual([]);
});

it("E05 a streamed call runs when its item is complete, before the response has ended", async () => {
  const { adapter, disk } = box();
  const end = functions.length - 1;
  let seen: string | undefined;
  const look = async () => {
    await vi.waitFor(() => expect(disk.get("/w/out/b.txt")).toBe(WRITTEN), { timeout: 10_000, interval: 1 });
    seen = disk.get("/w/out/b.txt");
  };
  const turn = await adapter.run.stream(
    stream<OpenAiEvent>([...functions.slice(0, end), look, ...functions.slice(end)]),
  );
  expect(seen).toBe(WRITTEN);
  expect(turn).toMatchObject({ responseId: "resp_01", status: "completed" });
  expect(turn.output.filter(isFunctionCall).map(({ call_id }) => call_id)).toEqual(["call_01", "call_02"]);
  expect(turn.results.map(({ call_id }) => call_id)).toEqual(["call_01", "call_02"]);
});

it("E14 a call that the length limit cut does not run, streamed or whole, and has a result", async () => {
  const cut = events<OpenAiEvent>("openai-responses.stream.cut-off.jsonl");
  const { response } = cut.at(-1) as OpenAiEvent & { response: OpenAiResponse };
  const streamed = box();
  const turn = await streamed.adapter.run.stream(stream(cut));
  const plain = box();
  const results = await plain.adapter.run(response);
  expect(turn.results).toEqual(results);
  expect([streamed.started(), plain.started()]).toEqual([["Read"], ["Read"]]);
  expect(results[1]).toMatchObject({ call_id: "call_02", output: expect.stringContaining("length limit") });
});

it("J10 refused calls, unknown tools and broken arguments are answered in words", async () => {
  const { adapter } = box();
  const call = (call_id: string, name: string, args: string) => ({
    type: "function_call",
    call_id,
    name,
    arguments: args,
  });
  const output = [call("a", "Reed", "{}"), call("b", "Write", '{"file_path": 5}'), call("c", "Read", "{file_path}")];
  const results = await adapter.run({ output });
  expect(results.map(({ call_id }) => call_id)).toEqual(["a", "b", "c"]);
  expect(String(results[0]?.output)).toContain("Did you mean Read?");
  expect(String(results[2]?.output)).toContain("not valid JSON");
});

it("E05 a stream that fails before any call started throws, so that the request can be sent again", async () => {
  const { adapter, started } = box();
  const failed = { type: "response.failed", response: { error: { message: "Overloaded" } } };
  await expect(adapter.run.stream(stream([...functions.slice(0, 5), failed]))).rejects.toThrow("Overloaded");
  expect(started()).toEqual([]);
  const late = await adapter.run.stream(stream([...functions.slice(0, 12), failed]));
  expect(String(late.error)).toContain("Overloaded");
  expect(late.results.map(({ call_id }) => call_id)).toEqual(["call_01", "call_02"]);
  expect(late.results[1]?.output).toContain("connection broke");
});
