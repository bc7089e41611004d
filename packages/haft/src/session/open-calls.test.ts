import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import type { AgentSession, AgentSessionOptions } from "./index.ts";

const sessions = agentSessions("open-calls");
const said = ({ messages }: AgentSession) =>
  messages.map((message) => [message.role, JSON.stringify(message)] as const);

it("E25 a process that dies in the middle of a call leaves it in the conversation, and nothing makes it again", async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const options: AgentSessionOptions = {
    ...sessions.make().options,
    async ask() {
      asked.resolve();
      await answer.promise;
      return { behavior: "allow" };
    },
  };
  const turns = [[calls("c1", "Bash", { command: "echo once >> made.txt" }), finish()], says("Made.")];
  const { session } = await sessions.open(turns, options);
  const run = session.prompt("Make it.");
  await asked.promise;
  const resume = session.id;
  // The state that another process finds if this one ends now.
  const { session: after, model } = await sessions.open([says("I look first.")], { ...options, resume });
  expect(said(after).map(([role]) => role)).toEqual(["user", "assistant", "results"]);
  expect(said(after)[1]?.[1]).toContain("echo once");
  expect(said(after)[2]?.[1]).toContain("ended before this call had a result");
  answer.resolve();
  await run;
  const { session: whole } = await sessions.open([], { ...options, resume });
  expect(said(whole).map(([role]) => role)).toEqual(["user", "assistant", "results", "assistant"]);
  expect(said(whole)[2]?.[1]).toContain('"status":"ok"');
  expect(model.requests).toEqual([]);
});
