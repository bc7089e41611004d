import OpenAI from "openai";
import { expect, expectTypeOf, it } from "vitest";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { events, WRITTEN, whole, wireBox } from "../../../test/support/wire-cases.ts";
import { openaiChat } from "./openai-chat.ts";
import type { ChatChunk, ChatCompletion, ChatMessage, ChatResult, ChatTool } from "./wire.ts";

it("D05 the real SDK takes what the adapter gives and gives what it takes", () => {
  expectTypeOf<ChatTool>().toExtend<OpenAI.ChatCompletionTool>();
  expectTypeOf<ChatResult>().toExtend<OpenAI.ChatCompletionMessageParam>();
  expectTypeOf<ChatMessage>().toExtend<OpenAI.ChatCompletionMessageParam>();
  expectTypeOf<OpenAI.ChatCompletionChunk>().toExtend<ChatChunk>();
});

it("D05 turns through the real client: whole, streamed, and the end", async () => {
  const done = { message: { role: "assistant", content: "Done." }, finish_reason: "stop", index: 0 };
  await using server = await wireServer([
    { json: whole("openai-chat.response.json") },
    { events: events("openai-chat.stream.jsonl"), style: "openai" },
    { json: { ...whole<object>("openai-chat.response.json"), choices: [done] } },
  ]);
  const { toolbox, disk } = wireBox();
  const { tools, run } = openaiChat(toolbox);
  const client = new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const request = { model: "gpt-test", tools };
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go." }];
  const completion = await client.chat.completions.create({ ...request, messages });
  expectTypeOf(completion).toExtend<Pick<ChatCompletion, "id">>();
  messages.push(completion.choices[0]!.message, ...(await run(completion)));
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  disk.delete("/w/out/b.txt");
  const turn = await run.stream(await client.chat.completions.create({ ...request, messages, stream: true }));
  messages.push(turn.message, ...turn.results);
  expect(disk.get("/w/out/b.txt")).toBe(WRITTEN);
  expect(await run(await client.chat.completions.create({ ...request, messages }))).toEqual([]);
  const sent = JSON.parse(server.bodies[2]!).messages;
  const answers = ["assistant", "tool", "tool", "user"];
  expect(sent.map(({ role }: { role: string }) => role)).toEqual(["user", ...answers, ...answers]);
});
