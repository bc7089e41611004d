import { type Content, type GenerateContentResponse, GoogleGenAI, type Tool } from "@google/genai";
import { expect, expectTypeOf, it } from "vitest";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { events, WRITTEN, whole, wireBox } from "../../../test/support/wire-cases.ts";
import { gemini } from "./gemini.ts";
import type { GeminiResponse, GeminiResults, GeminiTool } from "./wire.ts";

it("D03 the real SDK takes what the adapter gives and gives what it takes", () => {
  expectTypeOf<GeminiTool>().toExtend<Tool>();
  expectTypeOf<GeminiResults>().toExtend<Content>();
  expectTypeOf<GenerateContentResponse>().toExtend<GeminiResponse>();
});

it("D03 turns through the real client: whole, streamed, and the end", async () => {
  const done = { candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP" }] };
  await using server = await wireServer([
    { json: whole("gemini.response.json") },
    { events: events("gemini.stream.jsonl"), style: "gemini" },
    { json: done },
  ]);
  const { toolbox, disk } = wireBox();
  const { tools, run } = gemini(toolbox);
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
  const request = { model: "gemini-test", config: { tools } };
  const contents: Content[] = [{ role: "user", parts: [{ text: "Go." }] }];
  const response = await client.models.generateContent({ ...request, contents });
  contents.push(response.candidates![0]!.content!, (await run(response))!);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  disk.delete("/w/out/b.txt");
  const turn = await run.stream(await client.models.generateContentStream({ ...request, contents }));
  contents.push(turn.message, turn.results!);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  expect(await run(await client.models.generateContent({ ...request, contents }))).toBeNull();
  const sent = JSON.parse(server.bodies[2]!);
  expect(sent.contents.map(({ role }: Content) => role)).toEqual(["user", "model", "user", "model", "user"]);
  expect(sent.contents[1].parts).toEqual(sent.contents[3].parts);
  expect(sent.contents[2].parts[0].functionResponse).toMatchObject({ id: "fc_1", name: "Read" });
  expect(JSON.parse(server.bodies[0]!).tools[0].functionDeclarations[0].parametersJsonSchema.required).toEqual([
    "file_path",
  ]);
});
