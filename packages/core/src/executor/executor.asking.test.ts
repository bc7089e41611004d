// Calls of several agents, some of which wait for a person.
import { conflicts, type Effect } from "@haft/core/tool";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { testMachine, textOf, verdict } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Append, Get, Put } from "../../test/support/tools.ts";
import type { Answer } from "../approval/index.ts";
import { type CallRequest, createExecutor } from "./index.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for every write. `open` holds the questions that have no answer yet. */
function asking() {
  const disk = new Map<string, string>([["/w/a", "start"]]);
  const spans: { readonly effects: readonly Effect[]; readonly from: number; readonly to: number }[] = [];
  const open: { readonly tool: string; answer(given: Answer): void }[] = [];
  let tick = 0;
  const watched = [Get, Put, Append].map((tool) => ({
    ...tool,
    async run(input: never, ctx: never) {
      const from = tick++;
      await turn();
      try {
        return await (tool.run as (input: unknown, ctx: unknown) => Promise<unknown>)(input, ctx);
      } finally {
        spans.push({ effects: (await tool.effects(input, {} as never)) as readonly Effect[], from, to: tick++ });
      }
    },
  }));
  const { machine } = testMachine(watched, {
    ports: memoryPorts(disk),
    loopGuard: false,
    policy: () => ({
      mode: "default",
      generation: 1,
      decide: (situation) =>
        verdict(situation.effects.some(({ do: word }) => word === "write") ? "ask" : "allow", situation),
    }),
    approvals: {
      async ask(draft, _decision, signal, asked) {
        const { promise, resolve, reject } = Promise.withResolvers<Answer>();
        asked?.({ ...draft, id: draft.callId });
        open.push({ tool: draft.tool, answer: resolve });
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        return { status: "answered", requestId: draft.callId, answer: await promise, by: "test" };
      },
    },
  });
  return { executor: createExecutor(machine), disk, spans, open };
}

const call = (id: string, tool: string, path: string): CallRequest => ({
  id,
  tool,
  input: tool === "Get" ? { path } : { path, text: id },
});

it("F31 E10 reads of others pass a write that a person has yet to allow, and the write waits for them", async () => {
  const { executor, open, disk } = asking();
  const write = executor.run([call("w", "Put", "a"), call("mine", "Get", "a")]);
  await expect.poll(() => open.length).toBe(1);
  const second = executor.run([call("w2", "Append", "a")]);
  const [read] = await executor.run([call("r", "Get", "a")]);
  expect(textOf(read!)).toContain("start");
  open[0]!.answer({ behavior: "allow" });
  const [, mine] = await write;
  // A later call of the same message sees what the earlier one wrote.
  expect(textOf(mine!)).toContain("w");
  await expect.poll(() => open.length).toBe(2);
  open[1]!.answer({ behavior: "deny", message: "no" });
  expect((await second)[0]?.status).toBe("denied");
  expect(disk.get("/w/a")).toBe("w");
});

it("F31 E10 a call that is cancelled while it asks frees what it would change", async () => {
  const { executor, open } = asking();
  const stop = new AbortController();
  const first = executor.run([call("w", "Put", "a")], { signal: stop.signal });
  await expect.poll(() => open.length).toBe(1);
  stop.abort();
  expect((await first)[0]?.status).toBe("cancelled");
  const next = executor.run([call("x", "Put", "a")]);
  await expect.poll(() => open.length).toBe(2);
  open[1]!.answer({ behavior: "allow" });
  expect((await next)[0]?.status).toBe("ok");
});

const aCall = fc.record({
  tool: fc.constantFrom("Get", "Get", "Put", "Append"),
  path: fc.constantFrom("a", "b", "dir/c"),
});
const batches = fc.array(fc.array(aCall, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 });

it("F31 E10 whenever people answer, conflicting calls never run at once, and all calls of all agents end", async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.infiniteStream(fc.nat()), async (lists, choices) => {
      const { executor, spans, open } = asking();
      let left = lists.length;
      const all = lists.map((list, at) =>
        executor.run(list.map(({ tool, path }, index) => call(`${at}.${index}`, tool, path))).finally(() => left--),
      );
      for (let idle = 0; left > 0 && idle < 200; idle++) {
        await turn();
        const choice = choices.next().value;
        if (open.length === 0 || choice % 3 === 0) continue;
        const [one] = open.splice(choice % open.length, 1);
        one!.answer(choice % 5 === 0 ? { behavior: "deny", message: "no" } : { behavior: "allow" });
        idle = 0;
      }
      expect(left).toBe(0);
      const outcomes = (await Promise.all(all)).flat();
      expect(outcomes).toHaveLength(lists.flat().length);
      for (const [index, one] of spans.entries())
        for (const other of spans.slice(index + 1))
          if (one.from < other.to && other.from < one.to) expect(conflicts(one.effects, other.effects)).toBe(false);
    }),
    { numRuns: runs(1_000) },
  );
}, 60_000);
