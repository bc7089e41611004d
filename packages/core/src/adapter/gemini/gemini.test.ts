import { expect, it } from "vitest";
import { events, stream, WRITTEN, whole, wireBox } from "../../../test/support/wire-cases.ts";
import { gemini } from "./gemini.ts";
import { applyPartial } from "./partial-args.ts";
import type { GeminiResponse, GeminiResults } from "./wire.ts";

function box(options = {}) {
  const { toolbox, ...rest } = wireBox();
  return { ...rest, adapter: gemini(toolbox, options) };
}

const [read] = whole<GeminiResults>("gemini.results.json").parts;
const golden = {
  role: "user",
  parts: [read, { functionResponse: { id: "fc_2", name: "Write", response: { output: "wrote out/b.txt" } } }],
};
const chunks = (name: string) => events<GeminiResponse>(name);

it("D03 B09 the tools of this moment as function declarations", () => {
  const { adapter } = box();
  expect(adapter.tools).toHaveLength(1);
  expect(adapter.tools[0]?.functionDeclarations.map(({ name }) => name)).toEqual(["Read", "Write"]);
  expect(adapter.tools[0]?.functionDeclarations[0]).toEqual({
    name: "Read",
    description: "Reads a file.",
    parametersJsonSchema: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "A path." },
        limit: { type: "integer", minimum: 1, description: "How many lines." },
      },
      required: ["file_path"],
    },
  });
});

it("D03 H14 an answer in, one content out: results in order, pictures inside or after them", async () => {
  const { adapter, disk } = box();
  const response = whole<GeminiResponse>("gemini.response.json");
  expect(await adapter.run(response)).toEqual(golden);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  const older = await box({ mediaInResults: false }).adapter.run(response);
  expect(older?.parts.map((part) => Object.keys(part)[0])).toEqual([
    "functionResponse",
    "functionResponse",
    "inlineData",
  ]);
  expect(
    await adapter.run({ candidates: [{ content: { parts: [{ text: "Done." }] }, finishReason: "STOP" }] }),
  ).toBeNull();
});

it("E06 streamed, the same results, and the model's content with its signature", async () => {
  const { adapter } = box();
  const turn = await adapter.run.stream(stream(chunks("gemini.stream.jsonl")));
  expect(turn.results).toEqual(golden);
  expect(turn.stopReason).toBe("STOP");
  expect(turn.message.parts).toEqual(whole<GeminiResponse>("gemini.response.json").candidates?.[0]?.content?.parts);
});

it("D03 calls without ids are answered in order, and have ids of their own inside", async () => {
  const [response] = chunks("gemini.stream.no-ids.jsonl");
  const { adapter, started } = box();
  const results = await adapter.run(response!);
  expect(started()).toEqual(["Read", "Read"]);
  expect(results?.parts).toMatchObject([
    { functionResponse: { name: "Read", response: { output: "1\texport const a = 1\n" } } },
    { functionResponse: { name: "Read", response: { output: "1\texport const b = 2\n" } } },
  ]);
  expect(JSON.stringify(results)).not.toContain('"id"');
});

it("E05 arguments that stream in pieces make one call", async () => {
  const { adapter, disk } = box();
  const turn = await adapter.run.stream(stream(chunks("gemini.stream.partial-args.jsonl")));
  expect(disk.get("/w/out/b.txt")).toBe("line 1");
  expect(turn.message.parts).toEqual([
    {
      functionCall: { id: "fc_2", name: "Write", args: { file_path: "out/b.txt", content: "line 1" } },
      thoughtSignature: "c2lnMQ==",
    },
  ]);
  const cut = chunks("gemini.stream.partial-args.jsonl").slice(0, 3);
  const end = { candidates: [{ finishReason: "MAX_TOKENS" }] };
  const short = box();
  const answer = await short.adapter.run.stream(stream([...cut, end]));
  expect(short.started()).toEqual([]);
  expect(JSON.stringify(answer.results)).toContain("length limit");
});

it("D03 places of arguments: fields, items and quoted names", () => {
  const args = {};
  applyPartial(args, { jsonPath: "$.edits[0].text", stringValue: "a" });
  applyPartial(args, { jsonPath: "$.edits[0].text", stringValue: "b" });
  applyPartial(args, { jsonPath: "$['a b']", numberValue: 0 });
  applyPartial(args, { jsonPath: "$.on", boolValue: false });
  applyPartial(args, { jsonPath: "$.none", nullValue: "NULL_VALUE" });
  expect(args).toEqual({ edits: [{ text: "ab" }], "a b": 0, on: false, none: null });
});

it("E14 a malformed call is told to the model instead of ending the conversation", async () => {
  const { adapter } = box();
  const turn = await adapter.run.stream(stream(chunks("gemini.stream.malformed.jsonl")));
  expect(turn.results?.parts).toEqual([{ text: expect.stringContaining("malformed") }]);
  const [first] = chunks("gemini.stream.malformed.jsonl");
  expect(await adapter.run(first!)).toEqual(turn.results);
});
