import { type CallEvent, createExecutor } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { legacyTaskServer } from "../../test/servers/legacy-tasks.peers.ts";
import { taskServer } from "../../test/servers/tasks.ts";
import { mcpBench } from "../../test/support/mcp.ts";

type Options = NonNullable<Parameters<typeof mcpBench>[0]>;

async function opened(options: Options = {}) {
  const server = await taskServer();
  const bench = mcpBench(options);
  bench.manager.add({ name: "kitchen", url: server.url });
  await bench.manager.settled();
  return {
    server,
    bench,
    async call(tool: string) {
      const { result } = await bench.call(`mcp__kitchen__${tool}`);
      return { text: contentsText(result.content), error: result.error };
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("calls that their server goes on with as tasks", () => {
  it("Q10 a task is followed to its result, and its server's status messages are progress", async () => {
    const events: CallEvent[] = [];
    await using kitchen = await opened({ listener: (event) => events.push(event) });
    const { manager } = kitchen.bench;
    expect(manager.list()[0]).toMatchObject({ state: "ready", era: "modern" });
    expect((await kitchen.call("quick")).text).toBe("at once");
    expect(await kitchen.call("slow")).toEqual({ text: "done after 1 call", error: undefined });
    expect(kitchen.server.heard.filter((method) => method === "tasks/get")).toHaveLength(3);
    expect(JSON.stringify(events.filter(({ type }) => type === "tool:execution:progress"))).toContain("look 1");
  });

  it("Q10 a task's status in odd words is left out, and a result that is none fails by its name", async () => {
    await using kitchen = await opened();
    const since = performance.now();
    expect(await kitchen.call("bare")).toEqual({ text: "done after 1 call", error: undefined });
    // It was looked at three times, at the usual pace and not without a pause.
    expect(performance.now() - since).toBeGreaterThan(900);
    const { error } = await kitchen.call("odd");
    expect(error).toMatchObject({ code: "mcp_error", message: expect.stringContaining("its result is not valid MCP") });
  });

  it("Q10 the way may break meanwhile: the result comes over the next one, and the call is not made twice", async () => {
    await using kitchen = await opened();
    kitchen.server.faults.push("break", 503, 404, "break");
    expect(await kitchen.call("slow")).toEqual({ text: "done after 1 call", error: undefined });
    expect([kitchen.server.calls(), kitchen.server.faults]).toEqual([1, []]);
  });

  it("Q10 a server that no longer answers for its task is given up with an error, and the call is not made twice", async () => {
    await using kitchen = await opened();
    kitchen.server.faults.push(...Array<number>(20).fill(404));
    const { error } = await kitchen.call("endless");
    expect(error?.code).toBe("mcp_error");
    expect(error?.message).toContain("does not answer tasks/get");
    expect(error?.hint).toContain("check before you repeat it");
    expect(kitchen.server.calls()).toBe(1);
  }, 30_000);

  it("Q07 a task's question reaches the person once, and the answer reaches the task", {
    tags: ["smoke"],
  }, async () => {
    const asked: string[] = [];
    await using kitchen = await opened({
      elicit: async (_, { message }) => {
        asked.push(message);
        return { action: "accept", content: { size: "M" } };
      },
    });
    const { text } = await kitchen.call("ask");
    expect(JSON.parse(text)).toEqual([{ size: { action: "accept", content: { size: "M" } } }]);
    expect(asked).toEqual(["Which size?"]);
  });

  it("Q10 a task that asks where nobody answers is cancelled, and says so", async () => {
    await using kitchen = await opened();
    const { error } = await kitchen.call("ask");
    expect(error?.message).toContain('asks for "elicitation/create", which is not supported here');
    expect([...kitchen.server.cancelled]).toEqual(["ask-1"]);
  });

  it("Q11 a task that fails, or that its server cancels, is a failed call with its words", async () => {
    await using kitchen = await opened();
    expect((await kitchen.call("fail")).error?.message).toBe(
      'fail on the MCP server "kitchen" failed: the oven broke.',
    );
    expect((await kitchen.call("drop")).error?.message).toContain("was cancelled there: out of time");
    expect(kitchen.server.heard).not.toContain("tasks/cancel");
  });

  it("Q10 a tool of 2025-11-25 that may run as a task does over HTTP, and outlives a broken line", async () => {
    await using server = await legacyTaskServer();
    await using bench = mcpBench();
    bench.manager.add({ name: "oven", url: server.url });
    await bench.manager.settled();
    expect(bench.manager.list()[0]).toMatchObject({ state: "ready", era: "legacy" });
    const { result } = await bench.call("mcp__oven__bake");
    expect([result.error, contentsText(result.content)]).toEqual([undefined, "baked"]);
    expect(server.heard).toEqual(expect.arrayContaining(["tasks/result", "tasks/get"]));
    expect(server.heard).not.toContain("tasks/cancel");
  });

  it("Q10 a cancelled call cancels its task", async () => {
    const stop = new AbortController();
    await using kitchen = await opened();
    const call = { id: "1", tool: "mcp__kitchen__endless", input: {} };
    const running = createExecutor(kitchen.bench.machine).run([call], { signal: stop.signal });
    await expect.poll(() => kitchen.server.heard.filter((method) => method === "tasks/get").length).toBeGreaterThan(2);
    stop.abort();
    expect((await running)[0]?.result.error?.code).toBe("cancelled");
    await expect.poll(() => [...kitchen.server.cancelled]).toEqual(["endless-1"]);
  });
});
