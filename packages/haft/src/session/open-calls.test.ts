import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import { conversationIn, type Message } from "../agent/index.ts";
import type { AgentSession, AgentSessionOptions } from "./index.ts";

const sessions = agentSessions("open-calls");
const said = ({ messages }: AgentSession) =>
  messages.map((message) => [message.role, JSON.stringify(message)] as const);

const resultsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "results" ? message.results : []));
const storedResults = ({ haft }: AgentSession) => resultsIn(conversationIn(dirname(haft.session.path!)));

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

it("E25 a process that dies while a message streams leaves the calls that already ran, and resume closes them", async () => {
  const { options, cwd } = sessions.make();
  const [ran, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [text, reasoning] = ["First the file.", "It needs a file."];
  const { session } = await sessions.open(
    [
      [
        { type: "part", key: "r", part: { type: "reasoning", text: reasoning, meta: { test: { signature: "s" } } } },
        { type: "part", key: "t", part: { type: "text", text } },
        calls("c1", "Write", { file_path: "made.txt", content: "once" }),
        () => ran.promise,
        calls("c2", "Write", { file_path: "also.txt", content: "once" }),
        { type: "delta", key: "u", of: "text", text: "And th" },
        () => killed.promise,
        { type: "part", key: "u", part: { type: "text", text: "And that." } },
        finish(),
      ],
      says("Made."),
    ],
    { ...options, mode: "acceptEdits" },
  );
  let made = 0;
  const both = Promise.withResolvers<void>();
  session.on((event) => {
    if (event.type !== "tool:execution:complete") return;
    ran.resolve();
    if (++made === 2) both.resolve();
  });
  const run = session.prompt("Make them.");
  await both.promise;
  await expect.poll(() => storedResults(session)).toHaveLength(2);
  expect(["made.txt", "also.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([true, true]);
  // The state that another process finds if this one ends now.
  const resume = session.id;
  const { session: after, model } = await sessions.open([says("I look first.")], { ...options, resume });
  expect(said(after).map(([role]) => role)).toEqual(["user", "assistant", "results"]);
  for (const part of [reasoning, '"signature":"s"', text, "made.txt", "also.txt"])
    expect(said(after)[1]?.[1]).toContain(part);
  expect(said(after)[2]?.[1].split('"status":"ok"')).toHaveLength(3);
  await after.prompt("Go on.");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("made.txt");
  killed.resolve();
  await run;
});

it("E25 a process that dies while calls run leaves the results of those that had ended", async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { options, cwd } = sessions.make();
  writeFileSync(join(cwd, "known.txt"), "thirteen\n");
  const both = [calls("c1", "Bash", { command: "touch made.txt" }), calls("c2", "Read", { file_path: "known.txt" })];
  const { session } = await sessions.open([[...both, finish()], says("Made.")], {
    ...options,
    async ask() {
      asked.resolve();
      await answer.promise;
      return { behavior: "allow" };
    },
  });
  const run = session.prompt("Make and read.");
  await asked.promise;
  await expect.poll(() => storedResults(session)).toHaveLength(1);
  // The state that another process finds if this one ends now.
  const { session: after } = await sessions.open([], { ...options, resume: session.id });
  const [made, known] = resultsIn(after.messages);
  expect(made).toMatchObject({ callId: "c1", status: "error" });
  expect(known).toMatchObject({ callId: "c2", status: "ok", content: [{ text: expect.stringContaining("thirteen") }] });
  answer.resolve();
  await run;
  const { session: whole } = await sessions.open([], { ...options, resume: session.id });
  expect(whole.messages).toEqual(session.messages);
});

it("E25 a message that was whole replaces the parts of its stream, so that each call is there once", async () => {
  const { options } = sessions.make();
  const look = (id: string) => calls(id, "Glob", { pattern: `${id}*` });
  const { session } = await sessions.open([[look("c1"), look("c2"), finish()], says("Done.")], options);
  await session.prompt("Look.");
  const { session: after } = await sessions.open([], { ...options, resume: session.id });
  expect(after.messages).toEqual(session.messages);
});
