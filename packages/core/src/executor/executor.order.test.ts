import { defineTool, read, write } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, textOf, wait } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Append, Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "./index.ts";

const slow = (name: string, ms: number, effects: Parameters<typeof defineTool>[0]["effects"]) =>
  defineTool({
    name,
    description: "Takes its time.",
    input: { type: "object", properties: { path: { type: "string", description: "A path." } } } as const,
    can: ["read", "write"],
    effects: effects ?? (() => []),
    run: async (input) => {
      const from = performance.now();
      await wait(ms);
      return { path: (input as { path?: string }).path, from, to: performance.now() };
    },
  });

const SlowRead = slow("SlowRead", 200, (input) => [read((input as { path: string }).path)]);
const SlowWrite = slow("SlowWrite", 60, (input) => [write((input as { path: string }).path)]);
const spans = (outcomes: readonly { result: { output?: unknown } }[]) =>
  outcomes.map(({ result }) => result.output as { from: number; to: number });
const overlap = (a: { from: number; to: number }, b: { from: number; to: number }) => a.from < b.to && b.from < a.to;

describe("order of calls", () => {
  it("E07 read-only calls run in parallel: none of three ends before all have begun", async () => {
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const run = () => {
      if (++begun === 3) all.resolve();
      return all.promise;
    };
    const executor = createExecutor(testMachine([{ ...SlowRead, run }]).machine);
    await executor.run(["a", "b", "c"].map((path) => ({ id: path, tool: "SlowRead", input: { path } })));
    expect(begun).toBe(3);
  });

  it("E07 no more calls run at once than allowed", async () => {
    let running = 0;
    let most = 0;
    const Busy = slow("Busy", 0, (input) => [write((input as { path: string }).path)]);
    const run = async () => {
      most = Math.max(most, ++running);
      await wait(20);
      running--;
    };
    const executor = createExecutor(testMachine([{ ...Busy, run }], { maxConcurrent: 2 }).machine);
    await executor.run(["a", "b", "c", "d", "e"].map((path) => ({ id: path, tool: "Busy", input: { path } })));
    expect(most).toBe(2);
  });

  it("E08 results keep the order of the calls, regardless of their ends, blocked, invalid and unknown ones included", async () => {
    const outcomes = await createExecutor(testMachine([SlowRead, Get, Put]).machine).run([
      { id: "1", tool: "SlowRead", input: { path: "x" } },
      { id: "2", tool: "Nope", input: {} },
      { id: "3", tool: "Get", input: { path: 5 } },
      { id: "4", tool: "Put", input: { path: "y", text: "t" } },
    ]);
    expect(outcomes.map(({ call }) => call.id)).toEqual(["1", "2", "3", "4"]);
    expect(outcomes.map(({ result }) => result.error?.code)).toEqual([
      undefined,
      "unknown_tool",
      "invalid_input",
      undefined,
    ]);
  });

  it("E09 a write and the edit of the new file in one turn both succeed, in order", async () => {
    const disk = new Map<string, string>();
    const { machine } = testMachine([Put, Append], { ports: memoryPorts(disk, { delayMs: 10 }) });
    const outcomes = await createExecutor(machine).run([
      { id: "1", tool: "Put", input: { path: "new.txt", text: "one" } },
      { id: "2", tool: "Append", input: { path: "new.txt", text: " two" } },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(disk.get("/w/new.txt")).toBe("one two");
    // The second call's effects were computed again after the first: the file is there now.
    expect(outcomes[1]?.effects).toMatchObject([{ do: "read" }, { do: "write", change: "modify" }]);
  });

  it.each([
    ["effects", [true, false]],
    ["partition", [false, false]],
    ["strict", [false, false]],
  ] as const)("E10 %s: writers of two files, and of one file twice", async (concurrency, [twoFiles, oneFile]) => {
    const executor = createExecutor(testMachine([SlowWrite], { concurrency }).machine);
    const run = async (...paths: string[]) =>
      spans(await executor.run(paths.map((path, index) => ({ id: `${index}`, tool: "SlowWrite", input: { path } }))));
    const [a, b] = await run("a", "b");
    expect(overlap(a!, b!)).toBe(twoFiles);
    const [c, d] = await run("a", "a");
    expect(overlap(c!, d!)).toBe(oneFile);
  });

  it("E10 read, read, edit: strict runs all alone, partition only the edit, effects none where paths differ", async () => {
    const run = async (concurrency: "effects" | "partition" | "strict") => {
      const executor = createExecutor(testMachine([SlowRead, SlowWrite], { concurrency }).machine);
      const [a, b, c] = spans(
        await executor.run([
          { id: "1", tool: "SlowRead", input: { path: "a" } },
          { id: "2", tool: "SlowRead", input: { path: "b" } },
          { id: "3", tool: "SlowWrite", input: { path: "c" } },
        ]),
      );
      return [overlap(a!, b!), overlap(b!, c!)];
    };
    expect(await run("effects")).toEqual([true, true]);
    expect(await run("partition")).toEqual([true, false]);
    expect(await run("strict")).toEqual([false, false]);
  });

  it("E05 a call starts while the message still streams; strict waits for its end", async () => {
    for (const concurrency of ["effects", "strict"] as const) {
      const disk = new Map<string, string>();
      const { machine } = testMachine([Put], { concurrency, ports: memoryPorts(disk) });
      const batch = createExecutor(machine).open();
      batch.add({ id: "1", tool: "Put", input: { path: "early", text: "!" } });
      await wait(30);
      expect(disk.has("/w/early")).toBe(concurrency === "effects");
      await batch.end();
      expect(disk.get("/w/early")).toBe("!");
    }
  });

  it("E06 a streamed batch and a batch at once give the same results", async () => {
    const calls = [
      { id: "1", tool: "Put", input: { path: "f", text: "a" } },
      { id: "2", tool: "Append", input: { path: "f", text: "b" } },
      { id: "3", tool: "Get", input: { path: "f" } },
    ];
    const atOnce = await createExecutor(testMachine([Put, Append, Get], { ports: memoryPorts() }).machine).run(calls);
    const batch = createExecutor(testMachine([Put, Append, Get], { ports: memoryPorts() }).machine).open();
    for (const call of calls) {
      batch.add(call);
      await wait(5);
    }
    expect((await batch.end()).map(textOf)).toEqual(atOnce.map(textOf));
    expect(atOnce.map(textOf).at(-1)).toBe("ab");
  });
});
