import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";
import { conversationMarkdown, deleteSession, storedSession, storedSessions } from "../index.ts";

const sessions = agentSessions("stored");

describe("stored sessions", () => {
  it("E25 are listed with their first words, exported, and deleted unless they are open", async () => {
    const { options } = sessions.make();
    const { session } = await sessions.open(
      [[calls("c1", "Glob", { pattern: "*" }), finish()], says("Use ```` as a fence.")],
      options,
    );
    await session.prompt("What is here?\nAnd there?");
    expect(storedSessions(options)).toMatchObject([{ id: session.id, title: "What is here?", messages: 4 }]);
    const text = conversationMarkdown(session.id, session.messages);
    expect(text).toMatch(
      /^# Session .*\n\n## User\n\nWhat is here\?\nAnd there\?\n\n## Agent\n\n\*\*Glob\*\*\n\n```json/,
    );
    expect(text).toContain("Result of **Glob** (ok):");
    expect(() => deleteSession(session.id, options)).toThrow(/is open in a process/);
    const folder = dirname(session.haft.session.path!);
    await session[Symbol.asyncDispose]();
    deleteSession(session.id, options);
    expect(existsSync(folder)).toBe(false);
    expect(() => storedSession("last", options)).toThrow(/no conversation yet/);
    expect(() => deleteSession("../..", options)).toThrow(/no conversation/);
  });
});

describe("the budget of a session", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
  const reply = [...says("One.").slice(0, 2), { type: "finish" as const, reason: "stop" as const, usage }];
  const prices = { "test/scripted": { input: 2, output: 10 } };

  it("E25 tokens and money are counted; without a price the money is unknown", async () => {
    const { options } = sessions.make();
    const priced = { ...options, settings: { toolAgent: { prices } }, settingsFiles: false as const };
    const { session } = await sessions.open([reply], priced);
    await session.prompt("First.");
    expect(session.usage).toMatchObject({ requests: 1, totalTokens: 1_100_000, money: 3, contextTokens: 1_100_000 });
    const cost = session.commands().find(({ name }) => name === "cost")!;
    expect(await cost.run("")).toMatchObject({ text: expect.stringMatching(/received 100,000.*Cost: \$3\.0000/) });
    const plain = await sessions.open([reply]);
    await plain.session.prompt("First.");
    expect(plain.session.usage.totalTokens).toBe(1_100_000);
    expect(plain.session.usage.money).toBeUndefined();
  });

  it.each([
    ["anthropic/claude-sonnet-5-5", { inputTokens: 100_000, outputTokens: 10_000 }, 0.3],
    ["anthropic/claude-haiku-4-5-20251001", { inputTokens: 100_000, outputTokens: 10_000 }, 0.15],
    // Of 100,000 tokens, 80,000 came from the cache and 10,000 went there.
    [
      "anthropic/claude-sonnet-5-5",
      { inputTokens: 100_000, outputTokens: 10_000, cachedTokens: 80_000, cacheWriteTokens: 10_000 },
      0.153,
    ],
    ["openai/gpt-5.6", { inputTokens: 300_000, outputTokens: 10_000 }, 3.45],
  ])("E25 %s has a list price, with its cache and long requests (%j)", async (name, usage, money) => {
    const answer = [...says("One.").slice(0, 2), { type: "finish" as const, reason: "stop" as const, usage }];
    const model = { ...scriptedModel([answer]), name };
    const { session } = await sessions.open([], { ...sessions.make().options, model });
    await session.prompt("First.");
    expect(session.usage.money).toBeCloseTo(money, 10);
  });

  it("E25 a price of the settings counts before the list price", async () => {
    const mine = { "openai/gpt-5.6": { input: 1, output: 1, cacheRead: 0.5 } };
    const cached = { ...usage, cachedTokens: 1_000_000 };
    const answer = [...says("One.").slice(0, 2), { type: "finish" as const, reason: "stop" as const, usage: cached }];
    const model = { ...scriptedModel([answer]), name: "openai/gpt-5.6" };
    const settings = { toolAgent: { prices: mine } };
    const { session } = await sessions.open([], { ...sessions.make().options, model, settings, settingsFiles: false });
    await session.prompt("First.");
    expect(session.usage.money).toBeCloseTo(0.6, 10);
  });

  it("E25 a budget of money ends the run before the request that is beyond it, and needs a price", async () => {
    const { options } = sessions.make();
    const priced = { ...options, settings: { toolAgent: { prices } }, settingsFiles: false as const };
    const { session, model } = await sessions.open([reply, reply], { ...priced, budget: { money: 3.00001 } });
    expect(await session.prompt("First.")).toMatchObject({ reason: "answered" });
    const end = await session.prompt("Second.");
    expect(end).toMatchObject({ reason: "error", error: { code: "limit_reached" } });
    expect(model.requests).toHaveLength(1);
    const unknown = await sessions.open([reply], { ...options, budget: { money: 1 } });
    await expect(unknown.session.prompt("First.")).rejects.toThrow(/price of test\/scripted is unknown/);
  });

  it("E25 max turns end the run with its calls answered", async () => {
    const { options } = sessions.make();
    const look = (id: string) => [calls(id, "Glob", { pattern: "*" }), finish()];
    const { session } = await sessions.open([look("c1"), look("c2"), says("Done.")], { ...options, maxTurns: 2 });
    expect(await session.prompt("Go.")).toMatchObject({ reason: "max_turns", turns: 2 });
    expect(session.messages.at(-1)?.role).toBe("results");
  });
});
