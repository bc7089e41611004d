import { existsSync } from "node:fs";
import { join } from "node:path";
import { HttpAgent } from "@ag-ui/client";
import { afterEach, expect, it } from "vitest";
import { type TestServer, TOKEN, testServer } from "../../../test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

// The client of others checks every event against its schemas, and their order.
it.each([
  [true, "Written."],
  [false, "Not written."],
])("E16 the AG-UI client drives a run whose question is answered with %s", async (approved, words) => {
  server = await testServer(
    scriptedModel([
      [
        { type: "delta", key: "r", of: "reasoning", text: "A file is wanted." },
        { type: "part", key: "r", part: { type: "reasoning", text: "A file is wanted." } },
        calls("c1", "Write", { file_path: "a.txt", content: "x" }),
        finish(),
      ],
      says(words),
    ]),
  );
  const agent = new HttpAgent({
    url: `${server.handle.url}/api/ag-ui`,
    headers: { Authorization: `Bearer ${TOKEN}` },
    initialMessages: [{ id: "u1", role: "user", content: "Write it." }],
  });
  await agent.runAgent();
  const [question] = agent.pendingInterrupts;
  expect(question).toMatchObject({ reason: "tool_call", toolCallId: "c1", message: expect.stringContaining("a.txt") });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(false);
  await agent.runAgent({
    resume: [{ interruptId: question!.id, status: "resolved", payload: { approved, message: "As you like." } }],
  });
  expect(agent.pendingInterrupts).toEqual([]);
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(approved);
  expect(agent.messages.map(({ role }) => role)).toEqual(["user", "reasoning", "assistant", "tool", "assistant"]);
  expect(agent.messages.at(-1)?.content).toBe(words);
});
