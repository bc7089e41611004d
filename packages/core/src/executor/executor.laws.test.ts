import { conflicts, type Effect, effectsConflict } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { testMachine, textOf } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Append, Get, Put } from "../../test/support/tools.ts";
import type { CallRequest } from "./index.ts";
import { createExecutor } from "./index.ts";

const paths = ["a", "b", "dir/c", "dir/d"];
const aCall = fc.oneof(
  fc.record({ tool: fc.constant("Get"), input: fc.record({ path: fc.constantFrom(...paths) }) }),
  fc.record({
    tool: fc.constantFrom("Put", "Append"),
    input: fc.record({ path: fc.constantFrom(...paths), text: fc.stringMatching(/^[a-z]{1,3}$/) }),
  }),
);
const aBatch = fc.array(aCall, { minLength: 1, maxLength: 8 });
const withIds = (calls: readonly { tool: string; input: unknown }[]): CallRequest[] =>
  calls.map((call, index) => ({ id: `c${index}`, ...call }));

async function play(calls: CallRequest[], concurrency: "effects" | "partition" | "strict", serial = false) {
  const disk = new Map<string, string>([["/w/a", "start"]]);
  const spans: { effects: readonly Effect[]; from: number; to: number }[] = [];
  let tick = 0;
  const watched = [Get, Put, Append].map((tool) => ({
    ...tool,
    async run(input: never, ctx: never) {
      const from = tick++;
      // A turn of the event loop between reading and writing: enough to lose an update, were the order wrong.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return await (tool.run as (input: unknown, ctx: unknown) => Promise<unknown>)(input, ctx);
      } finally {
        const effects = await tool.effects(input, {} as never);
        spans.push({ effects: effects as readonly Effect[], from, to: tick++ });
      }
    },
  }));
  const { machine } = testMachine(watched, { concurrency, ports: memoryPorts(disk), loopGuard: false });
  const executor = createExecutor(machine);
  const outcomes = [];
  if (serial) for (const call of calls) outcomes.push(...(await executor.run([call])));
  else outcomes.push(...(await executor.run(calls)));
  return { disk: [...disk].sort(), texts: outcomes.map(textOf), ids: outcomes.map(({ call }) => call.id), spans };
}

describe("laws of the scheduler", () => {
  it.each([
    ["effects", runs(10_000)],
    ["partition", runs(1_000)],
    ["strict", runs(1_000)],
  ] as const)(
    "E09 E10 E14 %s: any of %i batches ends as the serial one would, each call with one result in its place",
    async (concurrency, numRuns) => {
      await fc.assert(
        fc.asyncProperty(aBatch, async (generated) => {
          const calls = withIds(generated);
          const together = await play(calls, concurrency);
          const oracle = await play(calls, concurrency, true);
          expect(together.disk).toEqual(oracle.disk);
          expect(together.texts).toEqual(oracle.texts);
          expect(together.ids).toEqual(calls.map(({ id }) => id));
        }),
        { numRuns },
      );
    },
    300_000,
  );

  it("E10 calls that ran at the same time never conflicted", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(aBatch, async (generated) => {
        const { spans } = await play(withIds(generated), "effects");
        for (const [index, one] of spans.entries()) {
          for (const other of spans.slice(index + 1)) {
            const together = one.from < other.to && other.from < one.to;
            if (together) expect(conflicts(one.effects, other.effects)).toBe(false);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

const path = fc.constantFrom("/w", "/w/a", "/w/a/b", "/x");
const anEffect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ do: fc.constant("read" as const), basis: fc.constant("enforced" as const), path, tree: fc.boolean() }),
  fc.record({
    do: fc.constant("write" as const),
    basis: fc.constant("enforced" as const),
    path,
    tree: fc.boolean(),
    change: fc.constantFrom("create" as const, "modify" as const, "replace" as const, "delete" as const),
  }),
  fc.record({ do: fc.constant("unknown" as const), basis: fc.constant("enforced" as const), why: fc.constant("?") }),
  fc.record({ do: fc.constant("ask" as const), basis: fc.constant("enforced" as const) }),
  fc.record({ do: fc.constant("delegate" as const), basis: fc.constant("enforced" as const), agent: fc.constant("x") }),
  fc.record({
    do: fc.constant("state" as const),
    basis: fc.constant("enforced" as const),
    of: fc.constantFrom("todos", "plan"),
    change: fc.boolean(),
  }),
);

describe("laws of conflict", () => {
  it("E10 conflict is symmetric", () => {
    fc.assert(fc.property(anEffect, anEffect, (a, b) => effectsConflict(a, b) === effectsConflict(b, a)));
  });

  it("E10 reads never conflict with reads; an unknown effect conflicts with all but state reads and delegation", () => {
    fc.assert(
      fc.property(anEffect, anEffect, (a, b) => !(a.do === "read" && b.do === "read") || !effectsConflict(a, b)),
    );
    fc.assert(
      fc.property(anEffect, (effect) => {
        const tolerated = effect.do === "delegate" || (effect.do === "state" && !effect.change);
        return effectsConflict({ do: "unknown", basis: "enforced", why: "?" }, effect) === !tolerated;
      }),
    );
  });
});
