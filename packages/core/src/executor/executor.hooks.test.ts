import { defineTool } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, textOf, verdict, wait } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Get, Put } from "../../test/support/tools.ts";
import type { AfterEvent, BatchEvent, Hook } from "../hook/index.ts";
import { type CallRequest, createExecutor, type Machine } from "./index.ts";

const Slow = defineTool({
  name: "Slow",
  description: "Takes a while.",
  input: { type: "object", properties: {} } as const,
  effects: () => [],
  async run(_, { signal }) {
    await wait(40);
    signal.throwIfAborted();
    return "done";
  },
});
const Outer = defineTool({
  name: "Outer",
  description: "Calls Put.",
  input: { type: "object", properties: {} } as const,
  effects: () => [],
  run: async (_, ctx) => (await ctx.invoke("Put", { path: "x", text: "1" })).error?.code ?? "ok",
});

function withHook(hook: Omit<Hook, "name">, changes: Partial<Machine> = {}) {
  const disk = new Map<string, string>();
  const hooks = [{ name: "h", ...hook }];
  const { machine } = testMachine([Get, Put, Slow, Outer], { ports: memoryPorts(disk), hooks, ...changes });
  return { disk, executor: createExecutor(machine) };
}

const put = (id: string, path = id): CallRequest => ({ id, tool: "Put", input: { path, text: "t" } });

describe("hooks in the pipeline", () => {
  it("E24 a yes is about the input it was given for; an input that an approver puts in its place is judged without it", async () => {
    const outcomes = (first: string) =>
      withHook(
        { before: ({ input }) => (input.path === "harmless" ? { decision: "allow" } : {}) },
        {
          // A rule asks about `harmless`, only the mode about the rest.
          policy: () => ({
            mode: "default",
            generation: 1,
            decide: (situation) => {
              const byRule = (situation.input as { path: string }).path === "harmless";
              const step = { step: byRule ? "ask" : "mode", outcome: "ask", note: "" } as const;
              return verdict("ask", situation, { trace: [step] });
            },
          }),
          approvals: {
            ask: async (request) =>
              (request.input as { path: string }).path === "harmless"
                ? {
                    status: "answered",
                    requestId: "q",
                    by: "u",
                    answer: { behavior: "allow", input: { path: "harmful", text: "" } },
                  }
                : { status: "unattended", requestId: "q" },
          },
        },
      ).executor.run([put("1", first)]);
    expect((await outcomes("harmless"))[0]?.result.error?.code).toBe("needs_approval");
  });

  it("E24 a hook that replaces the input is heard again on the new one, its words once", async () => {
    const seen: unknown[] = [];
    const { executor, disk } = withHook({
      before({ input }) {
        seen.push(input.path);
        return { input: { path: "b", text: "t" }, context: "moved" };
      },
    });
    const [outcome] = await executor.run([put("1", "a")]);
    expect([seen, [...disk.keys()], textOf(outcome!)]).toEqual([["a", "b"], ["/w/b"], "wrote b\nmoved"]);
    expect(outcome?.rewrittenBy).toBe("a hook");
  });

  it("E23 a hook after a call learns how long the tool ran; waiting for a person does not count", async () => {
    let heard: AfterEvent | undefined;
    const { executor } = withHook(
      {
        before: () => ({ decision: "ask" }),
        after(event) {
          heard = event;
          return undefined;
        },
      },
      {
        approvals: {
          ask: () =>
            wait(120).then(() => ({ status: "answered", requestId: "q", by: "u", answer: { behavior: "allow" } })),
        },
      },
    );
    await executor.run([{ id: "1", tool: "Slow", input: {} }]);
    expect(heard).toMatchObject({ callId: "1", mode: "default", identity: { name: "Slow", origin: "builtin" } });
    expect(heard?.durationMs).toBeGreaterThan(30);
    expect(heard?.durationMs).toBeLessThan(100);
  });

  it("E23 denied and cancelled calls have no hooks afterwards; a hook that throws then takes nothing back", async () => {
    const after: string[] = [];
    const { executor, disk } = withHook({
      before: ({ callId }) => (callId === "no" ? { decision: "deny" } : {}),
      after({ callId }) {
        after.push(callId);
        throw new Error("late");
      },
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    await executor.run([{ id: "slow", tool: "Slow", input: {} }], { signal: controller.signal });
    const [, ran] = await executor.run([put("no"), put("yes")]);
    expect(after).toEqual(["yes"]);
    expect([ran?.status, [...disk.keys()]]).toEqual(["ok", ["/w/yes"]]);
    expect(textOf(ran!)).toContain("late");
  });

  it("E24 ending the turn inside a nested call ends it for the call that the model made", async () => {
    const before: Hook["before"] = ({ tool }) => (tool === "Put" ? { stop: "enough" } : {});
    const { executor, disk } = withHook({ before });
    const [outer] = await executor.run([{ id: "1", tool: "Outer", input: {} }]);
    expect(outer).toMatchObject({ stop: "enough", result: { output: "denied_by_hook" } });
    expect(disk.size).toBe(0);
  });

  it("E23 a hook at the end of a message hears all its calls once; its words stand behind the last result", async () => {
    const heard: BatchEvent[] = [];
    const { executor } = withHook({
      batchEnd(event) {
        heard.push(event);
        return { context: "run the tests", stop: "enough" };
      },
    });
    const batch = executor.open();
    batch.add(put("1"));
    batch.add(put("2"));
    const [first, second] = await batch.end();
    expect(await batch.end()).toEqual([first, second]);
    expect(heard.map(({ calls }) => calls.map(({ callId }) => callId))).toEqual([["1", "2"]]);
    expect([textOf(first!), textOf(second!)]).toEqual(["wrote 1", "wrote 2\nrun the tests"]);
    expect([first?.stop, second?.stop]).toEqual([undefined, "enough"]);
  });

  it("E23 a message that was cancelled or broke off, or has no calls, has no such hook", async () => {
    let heard = 0;
    const { executor } = withHook({
      batchEnd() {
        heard++;
        throw new Error("never mind");
      },
    });
    await executor.run([]);
    await executor.run([put("1")], { signal: AbortSignal.abort() });
    const broken = executor.open();
    broken.add(put("2"));
    await broken.discard("the stream broke");
    expect(heard).toBe(0);
    const [outcome] = await executor.run([put("3")]);
    expect([heard, outcome?.status, textOf(outcome!)]).toEqual([1, "ok", expect.stringContaining("never mind")]);
  });
});
