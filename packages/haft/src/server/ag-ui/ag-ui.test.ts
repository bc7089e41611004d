import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type TestServer, testServer } from "../../../test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function run(body: object): Promise<readonly Event[]> {
  const answer = await server.fetch("/api/ag-ui", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ threadId: "t1", runId: "r1", messages: [], ...body }),
  });
  const text = await answer.text();
  return text
    .split("\n\n")
    .flatMap((block) => (block.startsWith("data: ") ? [JSON.parse(block.slice(6)) as Event] : []));
}

const user = (content: string) => ({ messages: [{ id: "u1", role: "user", content }] });

it("E16 an AG-UI run ends at a question with an interrupt, and its resume finishes the work", async () => {
  server = await testServer(
    scriptedModel([[calls("c1", "Write", { file_path: "a.txt", content: "x" }), finish()], says("Written.")]),
  );
  const first = await run(user("Write it."));
  expect(first.map(({ type }) => type)).toEqual([
    ...["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"],
  ]);
  const { outcome } = first.at(-1) as unknown as {
    outcome: { type: string; interrupts: { id: string; toolCallId: string }[] };
  };
  expect(outcome).toMatchObject({ type: "interrupt", interrupts: [{ toolCallId: "c1", reason: "tool_call" }] });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(false);
  const resume = [{ interruptId: outcome.interrupts[0]!.id, status: "resolved", payload: { approved: true } }];
  const second = await run({ runId: "r2", resume });
  expect(second.map(({ type }) => type)).toEqual([
    ...[
      "RUN_STARTED",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ],
  ]);
  expect(second.at(-1)).toMatchObject({ runId: "r2", outcome: { type: "success" } });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(true);
  const third = await run({ runId: "r3", resume });
  expect(third.at(-1)).toMatchObject({ type: "RUN_ERROR" });
});

it("E16 every question of several calls reaches the client, at any time and with any answerer", async () => {
  const names = ["a.txt", "b.txt", "c.txt"];
  const writes = names.map((name) => calls(name, "Write", { file_path: name, content: "x" }));
  server = await testServer(scriptedModel([[...writes, finish()], says("All are written.")]));
  const asked: string[] = [];
  for (let input: object = user("Write them."); ; ) {
    const { type, outcome } = (await run(input)).at(-1) as unknown as {
      type: string;
      outcome: { type: string; interrupts: { id: string; toolCallId: string }[] };
    };
    expect(type).toBe("RUN_FINISHED");
    if (outcome.type === "success") break;
    // One at a time: the others are still open, and each run names them again.
    const [{ id, toolCallId }] = outcome.interrupts as [(typeof outcome.interrupts)[0]];
    asked.push(toolCallId);
    input = { resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }] };
  }
  expect(asked.sort()).toEqual(names);
  for (const name of names) expect(existsSync(join(server.cwd, name))).toBe(true);
});

it("E16 an unclear answer of an AG-UI client is a no", async () => {
  server = await testServer(
    scriptedModel([[calls("c1", "Write", { file_path: "a.txt", content: "x" }), finish()], says("Not written.")]),
  );
  const { outcome } = (await run(user("Write it."))).at(-1) as unknown as { outcome: { interrupts: { id: string }[] } };
  await run({ resume: [{ interruptId: outcome.interrupts[0]!.id, status: "resolved", payload: { approved: "yes" } }] });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(false);
});
