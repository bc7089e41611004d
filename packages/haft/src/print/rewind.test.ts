import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { script, treeModel, turn } from "../../test/support/agents.ts";
import { printHost } from "../../test/support/print-host.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";

const places = sessionPlaces("print-rewind");
const edits = ["--permission-mode", "acceptEdits"];

it("E16 rewind_files takes the files back to a message, and says before what that would change", async () => {
  const write = (id: string, content: string) => [calls(id, "Write", { file_path: "a.txt", content }), finish()];
  const it = printHost(
    places,
    [
      write("c1", "one\n"),
      says("Written."),
      [calls("r", "Read", { file_path: "a.txt" }), finish()],
      write("c2", "two\n"),
      [calls("c3", "Write", { file_path: "b.txt", content: "b" }), finish()],
      says("Again."),
    ],
    edits,
  );
  const file = join(it.cwd, "a.txt");
  await it.prompt("First.", "m1");
  await it.prompt("Second.", "m2");
  expect(readFileSync(file, "utf8")).toBe("two\n");
  const rewind = (user_message_id: string, dry_run = false) =>
    it.ask({ subtype: "rewind_files", user_message_id, dry_run });
  expect(await rewind("m2", true)).toMatchObject({
    response: { canRewind: true, filesChanged: [file, join(it.cwd, "b.txt")], deletions: 2, insertions: 1 },
  });
  expect(existsSync(join(it.cwd, "b.txt"))).toBe(true);
  expect(await rewind("m2")).toMatchObject({ response: { canRewind: true } });
  expect([readFileSync(file, "utf8"), existsSync(join(it.cwd, "b.txt"))]).toEqual(["one\n", false]);
  // Somebody else has changed the file since: nothing of theirs is lost.
  writeFileSync(file, "theirs\n");
  expect(await rewind("m1")).toMatchObject({ response: { canRewind: false, error: expect.stringContaining("a.txt") } });
  expect(readFileSync(file, "utf8")).toBe("theirs\n");
  expect(await rewind("m9")).toMatchObject({ response: { canRewind: false } });
  await it.end();
});

it("E16 the calls of an agent come as messages under the call that started it; the cost is that of the prices", async () => {
  const model = treeModel({
    Start: script(turn(["Agent", { description: "a part", prompt: "Find it." }]), "Done."),
    "Find it": script([calls("s1", "Glob", { pattern: "*" }), finish()], "Nothing there."),
  });
  const settings = { toolAgent: { prices: { "test/scripted": { input: 1_000_000, output: 1_000_000 } } } };
  const priced = {
    ...model,
    async *step(request: Parameters<typeof model.step>[0]) {
      for await (const event of model.step(request))
        yield event.type === "finish" ? { ...event, usage: { inputTokens: 2, outputTokens: 1 } } : event;
    },
  };
  const it = printHost(places, [], [], undefined, { model: priced, settings });
  const result = await it.prompt("Start.");
  const nested = [...it.of("assistant"), ...it.of("user")].filter((one) => one.parent_tool_use_id !== null);
  expect(nested).toMatchObject([
    {
      type: "assistant",
      parent_tool_use_id: "k0",
      message: { content: [{ type: "tool_use", id: "s1", name: "Glob" }] },
    },
    { type: "user", parent_tool_use_id: "k0", message: { content: [{ type: "tool_result", tool_use_id: "s1" }] } },
  ]);
  // Two requests of the main agent and two of the other, at three tokens each.
  expect(result.total_cost_usd).toBe(12);
  expect(result.modelUsage).toMatchObject({ "test/scripted": { costUSD: 12 } });
  await it.end();
});
