import { defineTool } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { agentSetup } from "../../../test/support/agent.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";
import { type AgentEvent, runAgent } from "../loop.ts";
import { type Message, type ResultPart, userMessage } from "../message.ts";
import { openModel } from "../provider/open-model.ts";
import { repaired } from "../repair.ts";
import { shortened } from "./shorten.ts";

const Long = defineTool({
  name: "Long",
  description: "Says much.",
  input: { type: "object", properties: { of: { type: "string" } }, required: ["of"] } as const,
  can: [],
  effects: () => [],
  run: ({ of }) => of.repeat(4_000),
});

const refusal = (message: string, statusCode = 400) => ({
  type: "error" as const,
  error: Object.assign(new Error(message), { statusCode }),
});
const ANTHROPIC = "prompt is too long: 213462 tokens > 200000 maximum";
const ask = (id: string, of: string) => [calls(id, "Long", { of }), finish()];
const resultsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "results" ? message.results : []));

describe("a conversation that is too long", () => {
  it("D09 E25 goes on without its oldest results: calls stay, the latest is whole, and the model reads what is gone", async () => {
    const { executor, offer } = agentSetup([Long]);
    const model = scriptedModel([ask("c1", "a"), ask("c2", "b"), ask("c3", "c"), [refusal(ANTHROPIC)], says("Done.")]);
    const events: AgentEvent[] = [];
    const onEvent = (event: AgentEvent) => events.push(event);
    const end = await runAgent({ model, executor, offer, messages: [userMessage("Go.")], onEvent });
    expect(end).toMatchObject({ reason: "answered", text: "Done." });
    const sent = resultsIn(model.requests.at(-1)!.messages);
    expect(sent.map(({ callId }) => callId)).toEqual(["c1", "c2", "c3"]);
    expect(JSON.stringify(sent[0])).toContain("About 4000 characters were removed here");
    expect(JSON.stringify(sent[0])).toContain("Make the call again");
    expect(JSON.stringify(sent[2])).toContain("c".repeat(4_000));
    expect(repaired(end.messages)).toBe(end.messages);
    expect(events.find(({ type }) => type === "shortened")).toMatchObject({ results: 2, chars: 8_000 });
  });

  it("E25 says what to do where nothing can be left out, and keeps the conversation", async () => {
    const { executor, offer } = agentSetup([Long]);
    const model = scriptedModel([ask("c1", "a"), [refusal("maximum context length is 8192 tokens")], says("On.")]);
    const end = await runAgent({ model, executor, offer, messages: [userMessage("Go.")] });
    expect(end).toMatchObject({
      reason: "error",
      error: { code: "limit_reached", hint: expect.stringContaining("/clear") },
    });
    expect(JSON.stringify(end.messages)).toContain("a".repeat(4_000));
    const again = await runAgent({ model, executor, offer, messages: [...end.messages, userMessage("And?")] });
    expect(again).toMatchObject({ reason: "answered", text: "On." });
  });

  it("E25 ends however often it is refused", async () => {
    const { executor, offer } = agentSetup([Long]);
    const first = ["c1", "c2", "c3", "c4", "c5"].map((id) => ask(id, id));
    const model = scriptedModel([...first, ...Array.from({ length: 50 }, () => [refusal(ANTHROPIC)])]);
    const end = await runAgent({ model, executor, offer, messages: [userMessage("Go.")] });
    expect(end.reason).toBe("error");
    expect(model.requests.length).toBeLessThan(12);
  });

  it.each([
    ["anthropic/claude-test", 400, { type: "error", error: { type: "invalid_request_error", message: ANTHROPIC } }],
    ["anthropic/claude-test", 413, { type: "error", error: { type: "request_too_large", message: "Too big." } }],
    [
      "openai/gpt-test",
      400,
      { error: { message: "Your input exceeds it.", type: "invalid", param: null, code: "context_length_exceeded" } },
    ],
    [
      "google/gemini-test",
      400,
      {
        error: { code: 400, message: "The input token count (2) exceeds the maximum (1).", status: "INVALID_ARGUMENT" },
      },
    ],
    [
      "compatible/local",
      400,
      { error: { message: "the request exceeds the available context size (8192 tokens)", type: "e", code: 400 } },
    ],
  ])("D15 %s: the refusal is known on the wire (%i)", async (name, status, json) => {
    await using server = await wireServer([{ status, json }]);
    const keys = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "k" };
    const urls = { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: server.url, GOOGLE_BASE_URL: server.url };
    const model = await openModel(name, { ...keys, ...urls }, { maxRetries: 0 });
    const end = await runAgent({ model, ...agentSetup([Long]), messages: [userMessage("Go.")] });
    expect(end).toMatchObject({ reason: "error", turns: 1, error: { code: "limit_reached" } });
    expect(server.bodies).toHaveLength(1);
  });

  it("E25 another refusal is not taken for it", async () => {
    const { executor, offer } = agentSetup([Long]);
    const model = scriptedModel([ask("c1", "a"), ask("c2", "b"), [refusal("invalid x-api-key", 401)]]);
    const end = await runAgent({ model, executor, offer, messages: [userMessage("Go.")] });
    expect(String((end.error as Error).message)).toBe("invalid x-api-key");
    expect(JSON.stringify(end.messages)).toContain("a".repeat(4_000));
  });
});

const part = fc.record({ size: fc.nat(20_000), loads: fc.boolean(), spilled: fc.boolean() });
const conversation = fc.array(fc.oneof(fc.string(), fc.array(part, { minLength: 1, maxLength: 4 })), { maxLength: 20 });

it("D09 nothing but the content of earlier results ever changes, and each shortening leaves less", () => {
  fc.assert(
    fc.property(conversation, (drafts) => {
      let messages: readonly Message[] = drafts.map((draft, turn) =>
        typeof draft === "string"
          ? userMessage(draft)
          : {
              role: "results",
              results: draft.map(
                ({ size, loads, spilled }, at): ResultPart => ({
                  ...{ callId: `c${turn}-${at}`, tool: "T", status: "ok" },
                  content: [{ type: "text", text: "x".repeat(size) }],
                  ...(loads ? { loads: ["A"] } : {}),
                  ...(spilled ? { spilled: `/spill/${turn}-${at}` } : {}),
                }),
              ),
            },
      );
      const bones = (all: readonly Message[]) =>
        all.map((message) =>
          message.role === "results" ? message.results.map(({ content: _, ...rest }) => rest) : message,
        );
      const last = (all: readonly Message[]) => all.findLast(({ role }) => role === "results");
      for (let shorter = shortened(messages), rounds = 0; shorter; shorter = shortened(messages), rounds++) {
        expect(rounds).toBeLessThan(100);
        expect(bones(shorter.messages)).toEqual(bones(messages));
        expect(last(shorter.messages)).toEqual(last(messages));
        expect(JSON.stringify(shorter.messages).length).toBeLessThan(JSON.stringify(messages).length);
        for (const { spilled, content } of resultsIn(shorter.messages))
          if (spilled && JSON.stringify(content).includes("stood here"))
            expect(JSON.stringify(content)).toContain(spilled);
        messages = shorter.messages;
      }
    }),
  );
});
