// Every example of examples/embed with its real SDK against a local replay of the model.
import { readdirSync, readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { OpenAIResponsesModel, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { work as aiSdk } from "../examples/embed/ai-sdk.ts";
import { work as anthropic } from "../examples/embed/anthropic.ts";
import { work as claudeAgentSdk } from "../examples/embed/claude-agent-sdk.ts";
import { work as gemini } from "../examples/embed/gemini.ts";
import { work as langchain } from "../examples/embed/langchain.ts";
import { work as mastra } from "../examples/embed/mastra.ts";
import { work as openaiAgents } from "../examples/embed/openai-agents.ts";
import { work as openaiResponses } from "../examples/embed/openai-responses.ts";
import { work as pi } from "../examples/embed/pi.ts";
import type { Task } from "../examples/embed/task.ts";
import { anthropicModel } from "../packages/haft/test/support/ai-sdk-model.ts";
import { claudeTurns, embedPlace, ReplayModel } from "./support/embed-replay.peers.ts";
import { anthropicTurn, chatTurn, geminiTurn, responsesTurn } from "./support/replay-turns.ts";
import { type WireAnswer, wireServer } from "./support/wire-server.ts";

const place = embedPlace();
const { folder, text, turns } = place;

/** Runs an example: the edit is asked about once, and undone at the end. */
async function works(work: (task: Task) => Promise<void>, seenByModel: () => string) {
  const asked: string[] = [];
  const kept: [answer: string | undefined, file: string][] = [];
  await work({
    cwd: folder(),
    prompt: "Change alpha to beta.",
    ask: async ({ tool }) => {
      asked.push(`${tool}: ${text()}`);
      return { behavior: "allow" };
    },
    keep: (answer) => kept.push([answer, text()]) < 0,
  });
  expect(asked).toEqual(["Edit: alpha\r\n"]);
  expect(kept).toEqual([["It is done.", "beta\r\n"]]);
  expect(seenByModel()).toContain("BETA");
  expect(text()).toBe("alpha\r\n");
}

async function replays(answers: WireAnswer[], work: (url: string, task: Task) => Promise<void>) {
  await using server = await wireServer(answers);
  await works(
    (task) => work(server.url, task),
    () => server.bodies.at(-1)!,
  );
  expect(server.bodies).toHaveLength(4);
}

test("D15 the AI SDK's example reads, edits, runs a command, asks once and undoes", () =>
  replays(turns().map(anthropicTurn), (url, task) => aiSdk(anthropicModel(url), task)));

test("D15 the example of Anthropic's tool runner does the same", () =>
  replays(turns().map(anthropicTurn), (baseURL, task) =>
    anthropic(new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 }), task),
  ));

test("D05 the example of OpenAI's Responses API does the same", () =>
  replays(turns().map(responsesTurn), (baseURL, task) =>
    openaiResponses(new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 }), task),
  ));

test("D03 Gemini's example does the same", () =>
  replays(turns().map(geminiTurn), (baseUrl, task) =>
    gemini(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } }), task),
  ));

test("D15 LangChain's example does the same", async () => {
  const model = new ReplayModel(turns());
  await works(
    (task) => langchain(model, task),
    () => JSON.stringify(model.sent),
  );
  expect(model.turns).toEqual([]);
});

test("D15 Mastra's example does the same", () =>
  replays(turns().map(anthropicTurn), (url, task) => mastra(anthropicModel(url) as never, task)));

test("D15 the example of OpenAI's Agents SDK does the same", () => {
  setTracingDisabled(true);
  return replays(turns().map(responsesTurn), (baseURL, task) => {
    const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
    return openaiAgents(new OpenAIResponsesModel(client, "gpt-test"), task);
  });
});

test("D15 pi's example does the same", () =>
  replays(turns().map(chatTurn), (baseUrl, task) => {
    const model = {
      ...{ id: "m", name: "m", api: "openai-completions", provider: "openai", baseUrl, reasoning: false },
      ...{ input: ["text"], contextWindow: 9999, maxTokens: 999 },
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    return pi({ initialState: { model: model as never }, getApiKey: () => "none" }, task);
  }));

test("D15 the Claude Agent SDK's example does the same", { timeout: 60_000 }, () =>
  replays(claudeTurns(turns("mcp__haft__")), (url, task) => claudeAgentSdk(place.claude(url), task)),
);

test("D15 Haft's part of an example is at most five lines", () => {
  const examples = new URL("../examples/embed/", import.meta.url);
  const isHaft = (line: string) => !line.startsWith("//") && /haft|\.run\(/i.test(line);
  for (const name of readdirSync(examples).filter((name) => name.endsWith(".ts") && name !== "task.ts")) {
    const lines = readFileSync(new URL(name, examples), "utf8").split("\n");
    expect(lines.filter(isHaft).length, name).toBeLessThanOrEqual(5);
    expect(lines.length, name).toBeLessThanOrEqual(22);
  }
});
