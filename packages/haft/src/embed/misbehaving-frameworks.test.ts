import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { frameworkHaft } from "../../../../test/support/framework-haft.ts";
import type { Haft } from "../app/haft.ts";
import { anthropicRunner } from "./anthropic-runner.ts";
import { langchain } from "./langchain.ts";
import { mastra } from "./mastra.ts";
import { openaiAgents } from "./openai-agents.ts";
import { pi } from "./pi.ts";

/** Calls Write as a framework does, and gives what it got as text. */
type Write = (id: string, input: object, signal?: AbortSignal) => Promise<unknown>;

class ToolMessage {
  readonly content: unknown;
  constructor({ content }: { content: unknown }) {
    this.content = content;
  }
}

const named = <T extends { name: string }>(tools: readonly T[]): T => tools.find(({ name }) => name === "Write")!;

const frameworks: Record<string, (haft: Haft) => Write> = {
  "OpenAI Agents": (haft) => {
    const { invoke } = named(openaiAgents(haft).tools);
    const context = { isToolApproved: () => undefined };
    return (callId, input, signal) =>
      invoke(context, JSON.stringify(input), { toolCall: { callId }, ...(signal ? { signal } : {}) });
  },
  LangChain: (haft) => {
    const tool = (run: unknown, { name }: { name: string }) => ({ name, invoke: run as () => Promise<unknown> });
    const { invoke } = named(langchain(haft, { tool, ToolMessage } as never).tools) as { invoke: CallableFunction };
    return (toolCallId, input, signal) => invoke(input, { toolCallId, signal });
  },
  Mastra: (haft) => {
    type MastraTool = { execute(input: object, context: object): Promise<unknown> };
    const { tools } = mastra(haft, { createTool: (options: never) => options as MastraTool });
    return (toolCallId, input, abortSignal) => tools.Write!.execute(input, { agent: { toolCallId }, abortSignal });
  },
  "Anthropic's runner": (haft) => {
    const tool = named(anthropicRunner(haft).tools);
    return (id, input, signal) => tool.run(input, { toolUse: { id }, signal });
  },
  pi: (haft) => {
    const tool = named(pi(haft).tools);
    return (id, input, signal) => tool.execute(id, input, signal);
  },
};

async function place(framework: (haft: Haft) => Write) {
  const { haft, cwd, text, close } = await frameworkHaft({ rules: { allow: ["Write"] } });
  const write = framework(haft);
  const said = (done: Promise<unknown>) => done.then(JSON.stringify, String);
  return {
    ...{ text, close },
    has: (name: string) => existsSync(join(cwd, name)),
    write: (id: string, name: string, content: string, signal?: AbortSignal) =>
      said(write(id, { file_path: join(cwd, name), content }, signal)),
  };
}

for (const [name, framework] of Object.entries(frameworks)) {
  it(`E14 ${name} repeats an id in one message: the second call does not run, and its result says so`, async () => {
    const { write, has, text, close } = await place(framework);
    const [first, second] = await Promise.all([write("c1", "a1.txt", "one"), write("c1", "b1.txt", "two")]);
    expect(first).toContain("Created");
    expect(second).toContain("already used in this turn");
    expect([text("a1.txt"), has("b1.txt")]).toEqual(["one", false]);
    await close();
  });

  it(`E14 ${name} runs a call twice at once: it happens once`, async () => {
    const { write, text, close } = await place(framework);
    const results = await Promise.all([write("c1", "a1.txt", "one"), write("c1", "a1.txt", "one")]);
    expect(results[0]).toContain("Created");
    // A framework that resumes gets the result again; any other reads that the id was used.
    expect(results[1]).toMatch(/Created|already used in this turn/);
    expect(text("a1.txt")).toBe("one");
    await close();
  });

  it(`E05 ${name} aborts in the middle: every call has its result, and the next one works`, async () => {
    const { write, has, text, close } = await place(framework);
    const stop = new AbortController();
    const both = Promise.all([write("c1", "a1.txt", "one", stop.signal), write("c2", "b1.txt", "two", stop.signal)]);
    stop.abort();
    for (const result of await both) expect(result).toContain("aborted before it ran");
    expect([has("a1.txt"), has("b1.txt")]).toEqual([false, false]);
    expect(await write("c3", "a1.txt", "three")).toContain("Created");
    expect(text("a1.txt")).toBe("three");
    await close();
  });
}
