// Every example of examples/embed with its real SDK against a local replay of the model.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { OpenAIResponsesModel, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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
import { HAFT } from "../packages/haft/test/support/haft-process.ts";
import { call, say, streamOf } from "./support/anthropic-wire.ts";
import { anthropicTurn, chatTurn, geminiTurn, responsesTurn, type Turn } from "./support/replay-turns.ts";
import { type WireAnswer, wireServer } from "./support/wire-server.ts";

let base: string;
const folder = () => join(base, "work");
const text = () => readFileSync(join(folder(), "a.txt"), "utf8");

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-embed-")));
  for (const name of ["work", "home", "state"]) mkdirSync(join(base, name));
  writeFileSync(join(folder(), "a.txt"), "alpha\r\n");
  vi.stubEnv("HOME", join(base, "home"));
  vi.stubEnv("HAFT_STATE_DIR", join(base, "state"));
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  rmSync(base, { recursive: true, force: true });
});

/** The model reads a file, edits it, and looks at it with a command. */
function turns(prefix = ""): Turn[] {
  const file_path = join(folder(), "a.txt");
  return [
    [{ id: "call_01", name: `${prefix}Read`, input: { file_path } }],
    [{ id: "call_02", name: `${prefix}Edit`, input: { file_path, old_string: "alpha", new_string: "beta" } }],
    [{ id: "call_03", name: `${prefix}Bash`, input: { command: "tr a-z A-Z < a.txt" } }],
    "It says beta now.",
  ];
}

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
  expect(kept).toEqual([["It says beta now.", "beta\r\n"]]);
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

/** LangChain's model, without a provider: it answers with the next turn and remembers the conversation that it was sent. */
class ReplayModel extends BaseChatModel {
  readonly turns = turns();
  sent: BaseMessage[] = [];
  _llmType() {
    return "replay";
  }
  override bindTools() {
    return this as never;
  }
  async _generate(messages: BaseMessage[]) {
    this.sent = messages;
    const turn = this.turns.shift()!;
    const message =
      typeof turn === "string"
        ? new AIMessage(turn)
        : new AIMessage({ content: "", tool_calls: turn.map(({ input, ...call }) => ({ ...call, args: input })) });
    return { generations: [{ text: "", message }] };
  }
}

test("D15 LangChain's example does the same", async () => {
  const model = new ReplayModel({});
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

// The SDK starts a program that runs the loop. Here it is `haft -p`, which speaks the SDK's protocol.
test("D15 the Claude Agent SDK's example does the same", { timeout: 60_000 }, () => {
  const program = join(base, "claude");
  const words = [process.execPath, ...HAFT].map((word) => `'${word}'`).join(" ");
  writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const answers = turns("mcp__haft__").map((turn) => ({
    events: streamOf(typeof turn === "string" ? [say(turn)] : turn.map(({ id, name, input }) => call(id, name, input))),
  }));
  return replays(answers, (url, task) => {
    const env = { ...process.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` };
    return claudeAgentSdk({ pathToClaudeCodeExecutable: program, env, model: "claude-test" }, task);
  });
});

test("D15 Haft's part of an example is at most five lines", () => {
  const examples = new URL("../examples/embed/", import.meta.url);
  const isHaft = (line: string) => !line.startsWith("//") && /haft|\.run\(/i.test(line);
  for (const name of readdirSync(examples).filter((name) => name !== "task.ts")) {
    const lines = readFileSync(new URL(name, examples), "utf8").split("\n");
    expect(lines.filter(isHaft).length, name).toBeLessThanOrEqual(5);
    expect(lines.length, name).toBeLessThanOrEqual(22);
  }
});
