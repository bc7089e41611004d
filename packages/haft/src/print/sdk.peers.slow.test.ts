import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSdkMcpServer, query, type SDKMessage, type SDKUserMessage, tool } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { patience } from "../../../../test/support/patience.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { HAFT, type Scratch, scratch } from "../../test/support/haft-process.ts";

/** A file that starts Haft, which the SDK takes for its own program. */
function program(place: Scratch): string {
  const words = HAFT.map((word) => `'${word}'`).join(" ");
  const file = place.write("haft", `#!/bin/sh\nexec '${process.execPath}' ${words} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

// The published SDK with Haft as its executable, and a model on the wire.
it("E16 F28 a host of the Claude Agent SDK runs on Haft: questions, hooks, its own tools, partial messages, mode", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const executable = program(place);
  await using server = await wireServer([
    {
      events: streamOf([
        say("Looking."),
        call("t1", "Bash", { command: "touch made.txt" }),
        call("t2", "mcp__mine__add", { a: 2 }),
        call("t3", "Bash", { command: "touch refused.txt" }),
      ]),
    },
    { events: streamOf([say("Done.")]) },
  ]);
  const asked: string[] = [];
  const hooked: unknown[] = [];
  const seen = async ({ hook_event_name }: { readonly hook_event_name: string }) => {
    hooked.push(hook_event_name);
    return {};
  };
  const add = tool("add", "adds one", { a: z.number() }, async ({ a }) => ({
    content: [{ type: "text", text: `sum ${a + 1}` }],
  }));
  const run = query({
    prompt: "Make it.",
    options: {
      pathToClaudeCodeExecutable: executable,
      cwd: place.cwd,
      env: { ...place.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` },
      model: "claude-test",
      includePartialMessages: true,
      allowedTools: ["mcp__mine__add"],
      mcpServers: { mine: createSdkMcpServer({ name: "mine", version: "1", tools: [add] }) },
      systemPrompt: { type: "preset", preset: "claude_code", append: "Be kind." },
      async canUseTool(name, input) {
        const command = String(input.command);
        asked.push(`${name} ${command}`);
        return command.includes("refused")
          ? { behavior: "deny", message: "Not that." }
          : { behavior: "allow", updatedInput: input };
      },
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [seen] }],
      },
    },
  });
  const { commands } = await run.initializationResult();
  expect(commands.map(({ name }) => name)).toContain("clear");
  const said: SDKMessage[] = [];
  for await (const message of run) said.push(message);
  expect(said[0]).toMatchObject({ type: "system", subtype: "init", cwd: place.cwd, model: "anthropic/claude-test" });
  expect(said.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Done." });
  expect(said.some(({ type }) => type === "stream_event")).toBe(true);
  expect(JSON.stringify(said)).toContain("sum 3");
  expect(JSON.stringify(said)).toContain("Not that.");
  expect(asked.toSorted()).toEqual(["Bash touch made.txt", "Bash touch refused.txt"]);
  expect(hooked).toEqual(["PreToolUse", "PreToolUse"]);
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(true);
  expect(existsSync(join(place.cwd, "refused.txt"))).toBe(false);
  expect(server.bodies[0]).toContain("Be kind.");
});

it("E16 a host of the Claude Agent SDK takes the files back to one of its messages with rewindFiles", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const write = (id: string, content: string) => ({
    events: streamOf([call(id, "Write", { file_path: "a.txt", content })]),
  });
  const done = { events: streamOf([say("Done.")]) };
  const shell = { events: streamOf([call("t3", "Bash", { command: "echo three > a.txt; touch b.txt" })]) };
  await using server = await wireServer([
    ...[write("t1", "one\n"), done],
    ...[{ events: streamOf([call("t2", "Read", { file_path: "a.txt" })]) }, shell, done],
  ]);
  const ended = Promise.withResolvers<void>();
  const rewound = Promise.withResolvers<void>();
  const prompt = (uuid: SDKUserMessage["uuid"], content: string): SDKUserMessage => ({
    ...{ type: "user", session_id: "", parent_tool_use_id: null, uuid, message: { role: "user", content } },
  });
  const [first, second] = [randomUUID(), randomUUID()];
  const run = query({
    prompt: (async function* () {
      yield prompt(first, "Write it.");
      await ended.promise;
      yield prompt(second, "Change it.");
      await rewound.promise;
    })(),
    options: {
      pathToClaudeCodeExecutable: program(place),
      cwd: place.cwd,
      env: { ...place.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` },
      model: "claude-test",
      enableFileCheckpointing: true,
      allowedTools: ["Write", "Bash(echo *)", "Bash(touch *)", "write(**)"],
    },
  });
  const file = join(place.cwd, "a.txt");
  let results = 0;
  for await (const message of run) {
    if (message.type !== "result") continue;
    results += 1;
    ended.resolve();
    if (results < 2) continue;
    expect(readFileSync(file, "utf8")).toBe("three\n");
    expect(await run.rewindFiles(second, { dryRun: true })).toMatchObject({
      ...{ canRewind: true, filesChanged: [file, join(place.cwd, "b.txt")] },
    });
    expect(readFileSync(file, "utf8")).toBe("three\n");
    expect(await run.rewindFiles(second)).toMatchObject({ canRewind: true });
    expect([readFileSync(file, "utf8"), existsSync(join(place.cwd, "b.txt"))]).toEqual(["one\n", false]);
    expect(await run.rewindFiles(first)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);
    rewound.resolve();
  }
  expect(results).toBe(2);
});

it("E16 a host of the Claude Agent SDK gets one result for each of its messages, also after an interrupt, and runs commands", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const held = Promise.withResolvers<void>();
  await using server = await wireServer([
    { events: [() => held.promise, ...streamOf([say("Too late.")])] },
    { events: streamOf([call("t1", "Glob", { pattern: "*" })]) },
    { events: streamOf([say("Third.")]) },
  ]);
  const uuids = Array.from({ length: 4 }, () => randomUUID());
  const texts = ["First.", "Second.", "Third.", "/cost"];
  const over = Promise.withResolvers<void>();
  const run = query({
    prompt: (async function* (): AsyncGenerator<SDKUserMessage> {
      for (const [index, content] of texts.entries())
        yield { type: "user", parent_tool_use_id: null, uuid: uuids[index]!, message: { role: "user", content } };
      await over.promise;
    })(),
    options: {
      pathToClaudeCodeExecutable: program(place),
      cwd: place.cwd,
      env: { ...place.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` },
      model: "claude-test",
      maxTurns: 1,
    },
  });
  expect((await run.supportedCommands()).map(({ name }) => name)).toContain("compact");
  await expect.poll(() => server.bodies.length, { timeout: patience(20_000) }).toBe(1);
  const receipt = await run.interrupt();
  expect(receipt?.still_queued).toEqual(uuids.slice(1));
  held.resolve();
  const said: SDKMessage[] = [];
  for await (const message of run) {
    said.push(message);
    if (message.type === "result" && message.queued_turn_count === 0) over.resolve();
  }
  const results = said.flatMap((message) => (message.type === "result" ? [message] : []));
  expect(results.map(({ user_message_uuid }) => user_message_uuid)).toEqual(uuids);
  expect(results.map(({ subtype }) => subtype)).toEqual([
    ...["error_during_execution", "error_max_turns", "success", "success"],
  ]);
  expect(results.slice(2)).toMatchObject([{ result: "Third." }, { result: expect.stringContaining("requests") }]);
  expect(said.filter(({ type }) => type === "system").filter((one) => "capabilities" in one)).toHaveLength(4);
});
