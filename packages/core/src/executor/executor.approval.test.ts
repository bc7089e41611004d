import { defineTool, read, write } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, textOf, verdict, wait } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Get, Put } from "../../test/support/tools.ts";
import type { Answer, ApprovalRequest } from "../approval/index.ts";
import type { Situation } from "../policy/index.ts";
import { createExecutor, type Machine } from "./index.ts";

/** Asks for every write; answers come from `reply`. */
function asking(reply: (request: ApprovalRequest) => Promise<Answer> | Answer, changes: Partial<Machine> = {}) {
  const disk = new Map<string, string>();
  const requests: ApprovalRequest[] = [];
  const built = testMachine([Put, Get], {
    ports: memoryPorts(disk),
    policy: () => ({
      mode: "default",
      generation: 1,
      decide: (situation) =>
        verdict(situation.effects.some(({ do: word }) => word === "write") ? "ask" : "allow", situation),
    }),
    approvals: {
      async ask(draft, _decision, _signal, asked) {
        const request = { ...draft, id: `q${requests.length}` };
        requests.push(request);
        asked?.(request);
        return { status: "answered", requestId: request.id, answer: await reply(request), by: "test" };
      },
    },
    ...changes,
  });
  return { ...built, disk, requests, executor: createExecutor(built.machine) };
}

const put = (id: string) => ({ id, tool: "Put", input: { path: id, text: id } });

describe("approvals in the pipeline", () => {
  it("F31 nothing happens while a request is pending", async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const { executor, disk } = asking(() => promise);
    const running = executor.run([put("a")]);
    await wait(30);
    expect(disk.size).toBe(0);
    resolve({ behavior: "allow" });
    expect((await running)[0]).toMatchObject({ status: "ok", approval: { by: "test", scope: "once" } });
    expect(disk.get("/w/a")).toBe("a");
  });

  it("F31 with nobody there an ask is a denial with a clear message, and nothing ran", async () => {
    const { machine, disk } = asking(() => ({ behavior: "allow" }));
    const { approvals: _, ...alone } = machine;
    const [outcome] = await createExecutor(alone).run([put("a")]);
    expect(outcome).toMatchObject({ status: "denied", result: { error: { code: "needs_approval" } } });
    expect(textOf(outcome!)).toContain("nobody is there");
    expect(disk.size).toBe(0);
  });

  it("F31 waiting for a person does not use up the tool's time", async () => {
    const Slow = defineTool({
      name: "Slow",
      description: "Asks in the middle.",
      input: { type: "object", properties: {} } as const,
      can: ["write"],
      effects: () => [write("x")],
      limits: { timeoutMs: 60 },
      run: async (_, ctx) => {
        await ctx.ask({ title: "Go on?", show: { kind: "text", text: "?" } });
        return "done";
      },
    });
    const { registry, executor } = asking(async () => {
      await wait(120);
      return { behavior: "allow" };
    });
    registry.add({ origin: "builtin", name: "slow" }, [Slow]);
    const [outcome] = await executor.run([{ id: "1", tool: "Slow", input: {} }]);
    expect(outcome?.status).toBe("ok");
  });

  it("E11 a no without words cancels the waiting calls; a started one finishes; each call has its result", async () => {
    const { executor, disk, requests } = asking(() => ({ behavior: "deny" }));
    const outcomes = await executor.run([
      { id: "r", tool: "Get", input: { path: "none" } },
      put("a"),
      put("b"),
      put("c"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["error", "denied", "cancelled", "cancelled"]);
    expect(requests.map(({ callId }) => callId)).toEqual(["a"]);
    expect(textOf(outcomes[2]!)).toContain("Tool execution aborted");
    expect(disk.size).toBe(0);
  });

  it("E11 a no with feedback fails only its own call", async () => {
    const { executor, disk } = asking(({ callId }) =>
      callId === "a" ? { behavior: "deny", message: "use b" } : { behavior: "allow" },
    );
    const outcomes = await executor.run([put("a"), put("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["denied", "ok"]);
    expect(textOf(outcomes[0]!)).toContain("use b");
    expect([...disk.keys()]).toEqual(["/w/b"]);
  });

  it("E11 read-only calls run while an earlier call waits for a person", async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const { executor, disk } = asking(() => promise);
    disk.set("/w/f", "text");
    const batch = executor.open();
    const first = batch.add(put("a"));
    expect(textOf(await batch.add({ id: "r", tool: "Get", input: { path: "f" } }))).toBe("text");
    resolve({ behavior: "allow" });
    expect((await first).status).toBe("ok");
  });

  it("E11 an answer that leaves a grant behind spares the calls that waited", async () => {
    let granted = false;
    const { executor, requests } = asking(
      () => ({ behavior: "allow", remember: { label: "always", rules: ["Put"], scope: "session" } }),
      {
        remember: async () => {
          granted = true;
          return { scope: "session", rules: [], saved: false };
        },
        policy: () => ({
          mode: "default",
          generation: Number(granted),
          decide: (situation) => verdict(granted ? "allow" : "ask", situation),
        }),
      },
    );
    const outcomes = await executor.run([put("a"), put("b"), put("c")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(requests).toHaveLength(1);
  });

  it("F24 a refusal with a reason reaches the model, and the call did not run", async () => {
    const { executor, disk } = asking(() => ({ behavior: "deny", message: "not on a Friday" }));
    const [outcome] = await executor.run([put("a")]);
    expect(outcome?.result.error?.code).toBe("denied_by_user");
    expect(textOf(outcome!)).toContain("not on a Friday");
    expect(disk.size).toBe(0);
  });

  it("F24 an input that the approver replaced is parsed and decided anew", async () => {
    const { executor, disk, requests } = asking(({ input }) =>
      (input as { path: string }).path === "safe"
        ? { behavior: "allow" }
        : { behavior: "allow", input: { path: "safe", text: "ok" } },
    );
    const [outcome] = await executor.run([put("a")]);
    expect(outcome).toMatchObject({ status: "ok", rewrittenBy: "test", input: { path: "safe" } });
    expect(requests).toHaveLength(2);
    expect([...disk.keys()]).toEqual(["/w/safe"]);
  });

  it("F32 a rule that forbids a call while a person is thinking overrides their yes", async () => {
    let forbidden = false;
    const { executor, disk } = asking(
      () => {
        forbidden = true;
        return { behavior: "allow" };
      },
      {
        policy: () => ({
          mode: "default",
          generation: 1,
          decide: (situation) =>
            forbidden
              ? verdict("deny", situation, { code: "denied_by_rule", reason: "deny Put" })
              : verdict("ask", situation),
        }),
      },
    );
    const [outcome] = await executor.run([put("a")]);
    expect(outcome).toMatchObject({ status: "denied", result: { error: { code: "denied_by_rule" } } });
    expect(textOf(outcome!)).toContain("deny Put");
    expect(disk.size).toBe(0);
  });

  it("A19 the request carries a title, the effects and the reason; a tool's own preview is shown", async () => {
    const Shown = defineTool({
      name: "Shown",
      description: "Has a preview.",
      input: { type: "object", properties: { path: { type: "string", description: "p" } } } as const,
      can: ["read", "write"],
      effects: () => [read("f"), write("f")],
      describe: (input) => ({ title: `Change ${(input as { path?: string }).path ?? "a file"}` }),
      preview: async (_, ctx) => ({ kind: "text", text: `now: ${(await ctx.ports.files.text("/w/f")).text}` }),
      run: () => "done",
    });
    const { registry, executor, requests, disk } = asking(() => ({ behavior: "allow" }));
    disk.set("/w/f", "old");
    registry.add({ origin: "builtin", name: "shown" }, [Shown]);
    await executor.run([{ id: "1", tool: "Shown", input: { path: "f" } }]);
    expect(requests[0]).toMatchObject({
      title: "Change f",
      show: { kind: "text", text: "now: old" },
      effects: [
        { do: "read", path: "/w/f" },
        { do: "write", path: "/w/f", change: "replace" },
      ],
      why: "the test says ask",
    });
  });

  it("E16 events carry call, agent, title, summary and content, in order", async () => {
    const { executor, events } = asking(() => ({ behavior: "allow" }));
    await executor.run([put("a")]);
    expect(events.map(({ type }) => type)).toEqual([
      "tool:call:received",
      "tool:call:decided",
      "tool:permission:request",
      "tool:permission:response",
      "tool:execution:start",
      "tool:execution:complete",
    ]);
    expect(events.every(({ call, agent }) => call.id === "a" && agent.id === "main")).toBe(true);
    expect(events.at(-1)).toMatchObject({
      title: "Put",
      summary: "wrote a",
      content: { kind: "text", text: "wrote a" },
    });
  });

  it("A18 a tool's own objection tightens: it asks or refuses where the policy allows, and never loosens a denial", async () => {
    const objecting = (behavior: "ask" | "deny") => ({
      ...Get,
      object: () => ({ behavior, reason: "the tool minds" }),
    });
    const run = async (tool: Parameters<typeof testMachine>[0][number], decision: "allow" | "deny") => {
      const policy = () => ({
        mode: "default",
        generation: 1,
        decide: (situation: Situation) => verdict(decision, situation, { reason: `policy says ${decision}` }),
      });
      const [outcome] = await createExecutor(testMachine([tool], { policy }).machine).run([
        { id: "1", tool: "Get", input: { path: "f" } },
      ]);
      return outcome!.result.error;
    };
    expect(await run(objecting("ask"), "allow")).toMatchObject({ code: "needs_approval" });
    expect(await run(objecting("deny"), "allow")).toMatchObject({ message: expect.stringContaining("the tool minds") });
    expect(await run(objecting("ask"), "deny")).toMatchObject({ message: expect.stringContaining("policy says deny") });
    const broken = { ...Get, object: () => Promise.reject(new Error("oops")) };
    expect(await run(broken, "allow")).toMatchObject({ code: "needs_approval" });
  });
});
