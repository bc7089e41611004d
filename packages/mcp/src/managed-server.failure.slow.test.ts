import { createExecutor } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { friendly, mcpBench, rough } from "../test/support/mcp.ts";

describe("servers that fail", () => {
  it("Q10 a server that ends in the middle of a call fails that call with its last words, and comes back", {
    tags: ["smoke"],
  }, async () => {
    await using bench = mcpBench();
    const { manager, call } = bench;
    manager.add(rough("crash"));
    await manager.settled();
    const { result } = await call("mcp__crash__crash");
    expect(result.error?.code).toBe("mcp_error");
    expect(result.error?.message).toContain("exit code 3");
    expect(result.error?.message).toContain("redo from start");
    expect(result.error?.hint).toContain("may have done part");
    expect(manager.list()[0]?.state).toBe("reconnecting");
    expect(contentsText((await call("mcp__crash__echo", { text: "back" })).result.content)).toBe("back");
    expect(manager.list()[0]?.state).toBe("ready");
    const again = (await call("mcp__crash__crash")).result.error?.message;
    expect(again?.match(/redo from start/g)).toHaveLength(1);
  });

  it("Q09 a read of a resource that the server never answers can be cancelled at once, and the server gets the cancellation", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("deaf"));
    await bench.manager.settled();
    const stop = new AbortController();
    const read = { id: "1", tool: "ReadMcpResource", input: { server: "deaf", uri: "note://never" } };
    const reading = createExecutor(bench.machine).run([read], { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    const since = performance.now();
    expect((await reading)[0]?.status).toBe("cancelled");
    expect(performance.now() - since).toBeLessThan(patience(1_500));
    await expect.poll(() => bench.manager.logs("deaf")).toContain("cancelled");
  });

  it("Q10 twenty servers of which three hang and two crash: the rest are there, and nobody waited for them", async () => {
    await using bench = mcpBench({ startTimeoutMs: 20_000 });
    const { manager, names } = bench;
    const started = performance.now();
    for (let index = 0; index < 15; index += 1) manager.add(rough("flaky", { name: `good${index}` }));
    for (let index = 0; index < 3; index += 1) manager.add(rough("hang", { name: `hang${index}` }));
    for (let index = 0; index < 2; index += 1) manager.add(rough("crash-at-start", { name: `crash${index}` }));
    expect(performance.now() - started).toBeLessThan(patience(200));
    await expect.poll(() => names().length, { timeout: 15_000 }).toBe(15);
    await expect
      .poll(() => manager.list().filter(({ state }) => state === "failed").length, { timeout: 8_000 })
      .toBe(2);
    const failed = manager.list().find(({ server }) => server.name === "crash0");
    expect(failed?.error?.message).toContain("cannot find my config");
    expect(manager.list().find(({ server }) => server.name === "hang0")?.state).toBe("connecting");
  });

  it("Q10 a server that hangs at its start is given up after the time it has", async () => {
    await using bench = mcpBench({ startTimeoutMs: 600 });
    bench.manager.add(rough("hang"));
    await bench.manager.settled();
    expect(bench.manager.list()[0]).toMatchObject({ state: "failed", error: { code: "mcp_error" } });
    expect(bench.manager.list()[0]?.error?.message).toContain("600 ms");
  });

  const thrower = 'console.error("reading settings"); const deep = (n) => { if (n > 0) return deep(n - 1); throw ';
  it.each([
    [
      "a module that is missing",
      "require('no-such-module')",
      /Its last output:\nError: Cannot find module 'no-such-module'\n/,
    ],
    [
      "an error with its cause",
      `${thrower}new TypeError("no servers", { cause: new Error("inner") }); }; deep(30)`,
      /Its last output:\nTypeError: no servers\n.*Error: inner/,
    ],
    [
      "an error that it caught itself",
      'console.error("Fatal:", new Error("TOKEN is not set")); console.error("bye"); process.exit(1)',
      /Its last output:\nFatal: Error: TOKEN is not set\nbye$/,
    ],
    [
      "an error of long ago",
      'console.error(new Error("old")); for (let i = 0; i < 40; i++) console.error("line", i); process.exit(1)',
      /Its last output:\nline 28\n(?:line \d+\n){10}line 39$/,
    ],
  ])("Q10 the last words of a server that crashes say why, before where: %s", async (_what, code, words) => {
    await using bench = mcpBench();
    bench.manager.add(friendly({ name: "crashed", args: ["-e", code] }));
    await bench.manager.settled();
    const { error } = bench.manager.list()[0]!;
    expect(error?.message).toMatch(words);
    expect(error?.message).not.toMatch(/^\s+at |Node\.js v/m);
    expect(error?.message.length).toBeLessThan(1_500);
    expect(bench.manager.logs("crashed").join("\n")).toMatch(/^\s+at |line 0/m);
  });

  it("Q10 noise on standard output is left out and named in the log", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("garbage"));
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.state).toBe("ready");
    expect(bench.manager.logs("garbage").join("\n")).toContain("[not a message, on standard output] Welcome");
    expect(bench.manager.list()[0]?.problems.join()).toMatch(
      /standard output text that is not a message \(\d+ lines so far\)/,
    );
    expect(contentsText((await bench.call("mcp__garbage__only")).result.content)).toBe("ok");
  });

  it("Q10 a server that ends at a word it does not know is spoken to in the older protocol", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("strict"));
    await bench.manager.settled();
    expect(bench.manager.list()[0]).toMatchObject({ state: "ready", era: "legacy" });
  });

  it("Q10 a list that never ends does", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("endless"));
    await bench.manager.settled();
    expect(bench.manager.list()[0]?.problems.join()).toContain("does not end");
    expect(bench.names()).toEqual(["mcp__endless__only"]);
  });

  it("Q10 a program that does not exist is named, with where it was looked for", async () => {
    await using bench = mcpBench();
    bench.manager.add(friendly({ name: "gone", command: "no-such-program-here", args: [] }));
    await bench.manager.settled();
    const { error } = bench.manager.list()[0]!;
    expect(error?.message).toContain('"no-such-program-here" cannot be started: it was not found');
    expect(error?.hint).toContain("PATH=");
  });

  it("Q10 an answer of 100 MB fails its own call; the next call on the same connection works", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("huge"));
    await bench.manager.settled();
    const { result } = await bench.call("mcp__huge__huge", { megabytes: 100 });
    expect(result.error).toMatchObject({ code: "mcp_error", message: expect.stringMatching(/10000\d{4} bytes/) });
    expect(contentsText((await bench.call("mcp__huge__small")).result.content)).toBe("small");
    expect(bench.manager.list()[0]?.state).toBe("ready");
  });

  it("Q02 a large answer is cut by the budget like any other", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("huge"));
    await bench.manager.settled();
    const { result } = await bench.call("mcp__huge__huge", { megabytes: 10 });
    expect(result.error).toBeUndefined();
    expect(contentsText(result.content).length).toBeLessThan(110_000);
  });

  it("Q10 a call that is silent for too long ends as a timeout, and signs of life wind the clock up again", async () => {
    await using bench = mcpBench({ callTimeoutMs: 400 });
    bench.manager.add(friendly());
    await bench.manager.settled();
    const silent = await bench.call("mcp__friend__slow", { steps: 1, ms: 5_000 });
    expect(silent.result.error).toMatchObject({ code: "timeout", message: expect.stringContaining("400 ms") });
    const lively = await bench.call("mcp__friend__slow", { steps: 10, ms: 100 });
    expect(contentsText(lively.result.content)).toBe("done");
  });
});
