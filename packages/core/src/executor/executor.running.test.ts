import { type CallContext, defineTool, delegate, read, traitsOf, write } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, textOf, verdict, wait } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Append, Count, Get, Put } from "../../test/support/tools.ts";
import type { Hook } from "../hook/index.ts";
import { createExecutor, type Machine } from "./index.ts";

const anything = { type: "object", properties: {} } as const;
const one = async (
  given: Parameters<typeof testMachine>[0][number],
  changes: Partial<Machine> = {},
  input: unknown = {},
) => {
  const built = testMachine([given, Get, Put], changes);
  const [outcome] = await createExecutor(built.machine).run([{ id: "1", tool: given.name, input }]);
  return { ...built, outcome: outcome! };
};

describe("a running call", () => {
  it("A25 A26 progress arrives before the result, in order, and nothing after it", async () => {
    let late: CallContext | undefined;
    const Chatty = defineTool({
      name: "Chatty",
      description: "Tells.",
      input: anything,
      can: [],
      effects: () => [],
      async run(_, ctx) {
        late = ctx;
        ctx.progress({ title: "Searching", metadata: { a: 1 }, output: "x" });
        ctx.progress({ metadata: { b: 2 }, output: "y" });
        ctx.progress({ title: "Found 2" });
        return "done";
      },
    });
    const { events, outcome } = await one(Chatty);
    late?.progress({ title: "too late" });
    await wait(80);
    const progress = events.filter(({ type }) => type === "tool:execution:progress");
    expect(progress.map((event) => "progress" in event && event.progress.output).join("")).toBe("xy");
    expect(events.at(-1)).toMatchObject({ type: "tool:execution:complete", title: "Found 2" });
    expect(outcome.result).toMatchObject({ title: "Found 2", metadata: { a: 1, b: 2 } });
  });

  it("A26 a call's progress is no picture of its result; the last picture that it drew is", async () => {
    const drawn = (kind: "progress" | "text") =>
      one({
        ...defineTool({
          ...{ name: "Draws", description: "Draws.", input: anything, can: [], effects: () => [] },
          async run(_, ctx) {
            ctx.progress({
              display: kind === "text" ? { kind, text: "all" } : { kind, text: "Step", done: 3, total: 4 },
            });
            return "done";
          },
        }),
      });
    expect((await drawn("text")).outcome.result.display).toEqual({ kind: "text", text: "all" });
    const { outcome, events } = await drawn("progress");
    expect(outcome.result.display).toBeUndefined();
    expect(events).toContainEqual(
      expect.objectContaining({ progress: { display: { kind: "progress", text: "Step", done: 3, total: 4 } } }),
    );
  });

  it("E21 endless output is throttled and bounded, and its end is kept", async () => {
    const Flood = defineTool({
      name: "Flood",
      description: "Floods.",
      input: anything,
      can: [],
      effects: () => [],
      async *run() {
        for (let line = 0; line < 5_000; line++) yield { output: `line ${line} ${"x".repeat(20)}\n` };
        return "done";
      },
    });
    const { events } = await one(Flood);
    const outputs = events.flatMap((event) =>
      event.type === "tool:execution:progress" ? [event.progress.output ?? ""] : [],
    );
    expect(outputs.length).toBeLessThan(100);
    expect(Math.max(...outputs.map((text) => text.length))).toBeLessThanOrEqual(30_000);
    expect(outputs.at(-1)).toContain("line 4999");
  });

  it("A24 a generator's yields are progress, its return value the output; finally runs on abort", async () => {
    let cleaned = false;
    const Steps = defineTool({
      name: "Steps",
      description: "Steps.",
      input: anything,
      can: [],
      effects: () => [],
      async *run() {
        try {
          for (;;) {
            yield { title: "still here" };
            await wait(5);
          }
        } finally {
          cleaned = true;
        }
      },
    });
    const { machine } = testMachine([Steps]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Steps", input: {} }], {
      signal: controller.signal,
    });
    expect([outcome?.status, cleaned]).toEqual(["cancelled", true]);
  });

  it("E22 a nested call takes the whole pipeline, permission included", async () => {
    const Outer = defineTool({
      name: "Outer",
      description: "Calls.",
      input: anything,
      can: ["delegate"],
      effects: () => [delegate("x")],
      run: async (_, ctx) => [
        (await ctx.invoke("Put", { path: "in", text: "1" })).error?.code,
        (await ctx.invoke("Get", { path: "in" })).error?.code,
      ],
    });
    const { outcome } = await one(Outer, {
      policy: () => ({
        mode: "default",
        generation: 1,
        decide: (situation) =>
          verdict(situation.tool.name === "Put" ? "deny" : "allow", situation, { code: "denied_by_rule" }),
      }),
    });
    expect(outcome.result.output).toEqual(["denied_by_rule", "file_not_found"]);
  });

  it("E22 a nested call does not wait for its own root, and siblings keep out of each other's way", async () => {
    const disk = new Map([["/w/f", ""]]);
    const Outer = defineTool({
      name: "Outer",
      description: "Holds the file and edits it through others.",
      input: anything,
      can: ["write"],
      effects: () => [write("f", "modify")],
      run: async (_, ctx) => {
        await Promise.all(["a", "b", "c"].map((text) => ctx.invoke("Append", { path: "f", text })));
      },
    });
    const { machine } = testMachine([Outer, Append], { ports: memoryPorts(disk, { delayMs: 5 }) });
    const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Outer", input: {} }]);
    expect([outcome?.status, disk.get("/w/f")]).toEqual(["ok", "abc"]);
  });

  it("E22 nested calls that would wait for each other for ever end as a conflict", async () => {
    const holder = (name: string, own: string, other: string) =>
      defineTool({
        name,
        description: "Holds one file and wants the other.",
        input: anything,
        can: ["write"],
        effects: () => [write(own)],
        run: async (_, ctx) => {
          await wait(20);
          return (await ctx.invoke("Put", { path: other, text: name })).error?.code ?? "ok";
        },
      });
    const { machine } = testMachine([holder("A", "x", "y"), holder("B", "y", "x"), Put]);
    const outcomes = await createExecutor(machine).run([
      { id: "1", tool: "A", input: {} },
      { id: "2", tool: "B", input: {} },
    ]);
    expect(outcomes.map(({ result }) => result.output).sort()).toEqual(["conflict", "ok"]);
  });

  it("E01 a hook may stop a call, ask for a person, replace the input, add context; a failing hook asks", async () => {
    const run = async (hook: Omit<Hook, "name">) =>
      (await one(Put, { hooks: [{ name: "h", ...hook }] }, { path: "a", text: "t" })).outcome;
    expect(await run({ before: () => ({ decision: "deny", reason: "no way" }) })).toMatchObject({
      status: "denied",
      result: { error: { code: "denied_by_hook", message: "no way" } },
    });
    expect((await run({ before: () => ({ decision: "ask" }) })).result.error?.code).toBe("needs_approval");
    expect((await run({ before: () => Promise.reject(new Error("crash")) })).result.error?.code).toBe("needs_approval");
    expect((await run({ before: () => ({ input: { path: "b", text: "t" } }) })).input).toEqual({
      path: "b",
      text: "t",
    });
    expect(textOf(await run({ before: () => ({ context: "psst" }), after: () => ({ context: "and this" }) }))).toBe(
      "wrote a\npsst\nand this",
    );
    expect(textOf(await run({ after: () => ({ output: "other" }) }))).toBe("other");
  });

  it("A32 derived fields reach hooks and prompts, while the tool and the record keep the model's own input", async () => {
    let seen: unknown;
    const Observed = defineTool({
      ...Get,
      name: "Observed",
      input: Get.input.json,
      observe: (input) => ({ path: `/w/${(input as { path: string }).path}` }),
    });
    const hooks: Hook[] = [
      {
        name: "h",
        before: ({ input }) => {
          seen = input;
        },
      },
    ];
    const { outcome } = await one(Observed, { hooks }, { path: "f" });
    expect(seen).toEqual({ path: "/w/f" });
    expect(outcome.input).toEqual({ path: "f" });
  });

  it("A42 a tool is told call, session, agent, folder and signal", async () => {
    let ctx: CallContext | undefined;
    await one(
      defineTool({
        ...Count,
        name: "Look",
        input: anything,
        run: (_, given) => {
          ctx = given;
          return 0;
        },
      }),
    );
    expect(ctx).toMatchObject({
      call: { id: "1", tool: "Look", turn: 1 },
      agent: { id: "main" },
      session: { id: "s1" },
      cwd: "/w",
    });
    expect(ctx?.signal).toBeInstanceOf(AbortSignal);
  });

  it("A08 A09 A10 read-only, safe and destructive follow from the effects of the very input", async () => {
    const { outcome } = await one(Put, {}, { path: "new", text: "t" });
    expect(outcome.traits).toMatchObject({
      kind: "edit",
      isReadOnly: false,
      isConcurrencySafe: false,
      isDestructive: false,
    });
    expect(traitsOf([read("/a")])).toMatchObject({ kind: "read", isReadOnly: true, isConcurrencySafe: true });
  });
});
