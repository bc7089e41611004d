import { defineTool, unknown } from "@haft/core/tool";
import { expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { testMachine } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Append, Get } from "../../test/support/tools.ts";
import { createExecutor } from "./index.ts";

const thousand = Array.from({ length: 1_000 }, (_, index) => index);

it("E14 a batch of 1,000 calls: each has its result, in order, and none is lost, readers and writers of one file", async () => {
  const disk = new Map([["/w/f", ""]]);
  const { machine } = testMachine([Get, Append], { ports: memoryPorts(disk) });
  const calls = thousand.map((index) =>
    index % 2
      ? { id: `${index}`, tool: "Get", input: { path: "f" } }
      : { id: `${index}`, tool: "Append", input: { path: "f", text: "." } },
  );
  const outcomes = await createExecutor(machine).run(calls);
  expect(outcomes.map(({ call }) => call.id)).toEqual(calls.map(({ id }) => id));
  expect(outcomes.every(({ status }) => status === "ok")).toBe(true);
  expect(disk.get("/w/f")).toBe(".".repeat(500));
});

it("E14 1,000 calls of which nobody knows what they do run one after the other, in seconds", async () => {
  let running = 0;
  let most = 0;
  const Opaque = defineTool({
    name: "Opaque",
    description: "Unknown.",
    input: { type: "object", properties: { n: { type: "number", description: "n" } } } as const,
    effects: () => [unknown("?")],
    async run({ n }) {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return n;
    },
  });
  const from = performance.now();
  const outcomes = await createExecutor(testMachine([Opaque]).machine).run(
    thousand.map((n) => ({ id: `${n}`, tool: "Opaque", input: { n } })),
  );
  expect(outcomes.map(({ result }) => result.output)).toEqual(thousand);
  expect(most).toBe(1);
  expect(performance.now() - from).toBeLessThan(patience(5_000));
});
