import { describe, expect, it } from "vitest";
import { testMachine, textOf } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Count, Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "./index.ts";

function repeating(changes: Parameters<typeof testMachine>[1] = {}) {
  const ports = memoryPorts(new Map([["/w/f", "same"]]));
  const executor = createExecutor(testMachine([Get, Put, Count], { ports, ...changes }).machine);
  let id = 0;
  const call = async (tool: string, input: object) => (await executor.run([{ id: `${++id}`, tool, input }]))[0]!;
  return { get: () => call("Get", { path: "f" }), call };
}

describe("loop guard", () => {
  it("E25 the same call with the same result: the third is told to the model, the fifth asks", async () => {
    const { get } = repeating();
    const outcomes = [await get(), await get(), await get(), await get(), await get()];
    expect(outcomes.map((outcome) => textOf(outcome).includes("same result"))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(outcomes.map(({ result }) => result.error?.code)).toEqual([...Array(4).fill(undefined), "needs_approval"]);
  });

  it("E25 with somebody who says yes each time, the eighth ends the turn", async () => {
    const { get } = repeating({
      approvals: {
        ask: async () => ({ status: "answered", requestId: "q", by: "test", answer: { behavior: "allow" } }),
      },
    });
    const outcomes = [];
    for (let round = 0; round < 8; round++) outcomes.push(await get());
    expect(outcomes.map(({ stop }) => stop !== undefined)).toEqual([...Array(7).fill(false), true]);
  });

  it("E25 a changing result is progress, and so is a new change in between", async () => {
    const counting = repeating();
    for (let round = 0; round < 9; round++) expect((await counting.call("Count", {})).status).toBe("ok");
    const { get, call } = repeating();
    for (let round = 0; round < 9; round++) {
      expect(textOf(await get())).toBe("same");
      await call("Put", { path: "g", text: `${round}` });
    }
  });

  it("E25 calls that are made together are no loop; the same ones made again after their results are", async () => {
    const executor = createExecutor(testMachine([Get], { ports: memoryPorts(new Map([["/w/f", "same"]])) }).machine);
    const together = (turn: number) =>
      executor.run(Array.from({ length: 12 }, (_, at) => ({ id: `${turn}-${at}`, tool: "Get", input: { path: "f" } })));
    const turns = [];
    for (let turn = 1; turn <= 5; turn++) turns.push(await together(turn));
    expect(turns.map((all) => all.filter(({ status }) => status === "ok").length)).toEqual([12, 12, 12, 12, 0]);
    expect(turns.map((all) => all.some(({ stop }) => stop !== undefined))).toEqual(Array(5).fill(false));
  });

  it("E25 a host may switch it off", async () => {
    const { get } = repeating({ loopGuard: false });
    for (let round = 0; round < 9; round++) expect(textOf(await get())).toBe("same");
  });
});
