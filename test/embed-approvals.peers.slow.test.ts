// Every example of examples/embed/approvals: the framework's own approvals, with its real SDK against a local replay.
import { OpenAIResponsesModel, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { work as aiSdk } from "../examples/embed/approvals/ai-sdk.ts";
import { work as claudeAgentSdk } from "../examples/embed/approvals/claude-agent-sdk.ts";
import { work as langchain } from "../examples/embed/approvals/langchain.ts";
import { work as mastra } from "../examples/embed/approvals/mastra.ts";
import { work as openaiAgents } from "../examples/embed/approvals/openai-agents.ts";
import type { ApprovedTask } from "../examples/embed/approvals/task.ts";
import { anthropicModel } from "../packages/haft/test/support/ai-sdk-model.ts";
import { claudeTurns, embedPlace, ReplayModel } from "./support/embed-replay.peers.ts";
import { anthropicTurn, responsesTurn } from "./support/replay-turns.ts";
import { type WireAnswer, wireServer } from "./support/wire-server.ts";

const place = embedPlace();
type Work = (task: ApprovedTask) => Promise<unknown>;

/** The edit is asked about once, before it happens, and the person's answer counts. */
async function works(isYes: boolean, work: Work, seenByModel: () => string) {
  const asked: string[] = [];
  const answer = await work({
    cwd: place.folder(),
    prompt: "Change alpha to beta.",
    async approve(tool, input) {
      asked.push(`${tool} ${Object.keys(input as object).join(" ")}: ${place.text()}`);
      return isYes;
    },
  });
  expect(asked).toEqual(["Edit file_path old_string new_string: alpha\r\n"]);
  expect(place.text()).toBe(isYes ? "beta\r\n" : "alpha\r\n");
  expect(answer).toBe("It is done.");
  expect(seenByModel()).toContain(isYes ? "BETA" : "ALPHA");
}

async function replays(isYes: boolean, answers: WireAnswer[], work: (url: string) => Work) {
  await using server = await wireServer(answers);
  await works(isYes, work(server.url), () => server.bodies.at(-1)!);
  expect(server.bodies).toHaveLength(4);
}

describe.each([true, false])("E04 an answer of %s through the framework's own approvals counts", (isYes) => {
  test("with the AI SDK", () =>
    replays(isYes, place.turns().map(anthropicTurn), (url) => (task) => aiSdk(anthropicModel(url), task)));

  test("with Mastra", () =>
    replays(isYes, place.turns().map(anthropicTurn), (url) => (task) => mastra(anthropicModel(url) as never, task)));

  test("with OpenAI's Agents SDK", () => {
    setTracingDisabled(true);
    return replays(isYes, place.turns().map(responsesTurn), (baseURL) => (task) => {
      const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
      return openaiAgents(new OpenAIResponsesModel(client, "gpt-test"), task);
    });
  });

  test("with LangGraph", async () => {
    const model = new ReplayModel(place.turns());
    await works(
      isYes,
      (task) => langchain(model, task),
      () => JSON.stringify(model.sent),
    );
    expect(model.turns).toEqual([]);
  });

  test("with the Claude Agent SDK", { timeout: 60_000 }, () =>
    replays(isYes, claudeTurns(place.turns("mcp__haft__")), (url) => (task) => claudeAgentSdk(place.claude(url), task)),
  );
});
