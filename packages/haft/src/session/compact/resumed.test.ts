import { contentsText } from "@haft/core/tool";
import { expect, it } from "vitest";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { says } from "../../../test/support/scripted-model.ts";

const sessions = agentSessions("compact-resumed");

it("E25 a conversation that is full already is summarized before the first request of the next process", async () => {
  const options = {
    ...sessions.make().options,
    ...{ settings: { compaction: { contextTokens: 1000 } }, settingsFiles: false as const },
  };
  const full = { type: "finish", reason: "stop", usage: { inputTokens: 990, outputTokens: 10 } } as const;
  const { session } = await sessions.open([says("One."), [...says("Two.").slice(0, -1), full]], options);
  await session.prompt("First request.");
  await session.prompt("Second request.");
  expect(session.usage.contextTokens).toBeGreaterThan(900);
  await session[Symbol.asyncDispose]();
  const resumed = await sessions.open([says("SUMMARY"), says("Three.")], { ...options, resume: "last" });
  expect(resumed.session.usage.contextTokens).toBe(session.usage.contextTokens);
  expect(await resumed.session.prompt("Third request.")).toMatchObject({ text: "Three." });
  const [summary, ...more] = resumed.model.requests[1]!.messages;
  expect(summary?.role === "user" && contentsText(summary.content)).toContain("SUMMARY");
  expect(JSON.stringify(more)).toContain("Third request.");
});
