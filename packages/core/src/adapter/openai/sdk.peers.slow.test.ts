import OpenAI from "openai";
import { expect, expectTypeOf, it } from "vitest";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { events, WRITTEN, wireBox } from "../../../test/support/wire-cases.ts";
import { openai } from "./openai.ts";
import type { OpenAiEvent, OpenAiOutput, OpenAiResponse, OpenAiTool } from "./wire.ts";

const model = "gpt-test";
const functions = events<OpenAiEvent>("openai-responses.stream.functions.jsonl");
const end = events<OpenAiEvent>("openai-responses.stream.end.jsonl");
const whole = (stream: OpenAiEvent[]) => (stream.at(-1) as OpenAiEvent & { response: OpenAiResponse }).response;

it("D05 the real SDK takes what the adapter gives and gives what it takes", () => {
  expectTypeOf<OpenAiTool>().toExtend<OpenAI.Responses.Tool>();
  expectTypeOf<OpenAiOutput>().toExtend<OpenAI.Responses.ResponseInputItem>();
  expectTypeOf<OpenAI.Responses.Response>().toExtend<OpenAiResponse>();
});

it("D05 two turns through the real client, streamed, then whole", async () => {
  await using server = await wireServer([
    { events: functions, style: "openai" },
    { json: whole(functions) },
    { json: whole(end) },
  ]);
  const { toolbox, disk } = wireBox();
  const { tools, run } = openai(toolbox);
  const client = new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Go." }];
  const stream = await client.responses.create({ model, tools, input, stream: true });
  const turn = await run.stream(stream);
  expectTypeOf(turn.output).toExtend<OpenAI.Responses.ResponseOutputItem[]>();
  input.push(...(turn.output as OpenAI.Responses.ResponseInputItem[]), ...turn.results);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);

  let response = await client.responses.create({ model, tools, input });
  for (let next = await run(response); next.length > 0; next = await run(response))
    response = await client.responses.create({ model, tools, input: next, previous_response_id: response.id });
  const bodies = server.bodies.map((body) => JSON.parse(body));
  expect(bodies[1].input.map(({ type }: { type?: string }) => type ?? "message")).toEqual([
    ...["message", "function_call", "function_call"],
    ...["function_call_output", "function_call_output"],
  ]);
  expect(bodies[2].previous_response_id).toBe("resp_01");
  expect(bodies[2].input.map(({ call_id }: { call_id: string }) => call_id)).toEqual(["call_01", "call_02"]);
});
