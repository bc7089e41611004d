import { defineTool, HaftError, read, type Tool } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, textOf, wait } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { Count, Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "./index.ts";

const anything = { type: "object", properties: {} } as const;
const tool = (name: string, run: Tool["run"], rest: Partial<Tool> = {}) =>
  defineTool({ name, description: "A test.", input: anything, can: ["read"], effects: () => [], run, ...rest });
const runOne = async (given: Tool, signal?: AbortSignal) => {
  const built = testMachine([given]);
  const executor = createExecutor(built.machine);
  const [outcome] = await executor.run([{ id: "1", tool: given.name, input: {} }], signal ? { signal } : {});
  return { outcome: outcome!, ...built };
};

describe("calls that fail", () => {
  it.each([
    ["a string", "boom", "boom"],
    ["undefined", undefined, "without a reason"],
    ["an Error", new Error("bang"), "bang"],
  ])("J04 J10 a tool that throws %s gives an error result", async (_, thrown, words) => {
    const { outcome } = await runOne(tool("T", () => Promise.reject(thrown)));
    expect(outcome).toMatchObject({ status: "error", result: { error: { code: "execution_failed" } } });
    expect(textOf(outcome)).toContain(words);
  });

  it("J06 a tool's own error keeps its code, its cure and what it had produced", async () => {
    const error = new HaftError(
      { code: "command_failed", message: "Exit code 3.", hint: "Look." },
      { output: { exitCode: 3 } },
    );
    const { outcome } = await runOne(tool("T", () => Promise.reject(error)));
    expect(outcome.result).toMatchObject({ error: { code: "command_failed", hint: "Look." }, output: { exitCode: 3 } });
    expect(textOf(outcome)).toMatch(/Exit code 3[\s\S]*Look[\s\S]*"exitCode": 3/);
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("disk full");
      },
    ],
    [
      "later",
      () =>
        wait(5).then(() => {
          throw new Error("disk full");
        }),
    ],
  ])("E15 a record that fails %s is said in the result, and undoes nothing", async (_, record) => {
    const { machine } = testMachine([tool("T", () => "done")]);
    const executor = createExecutor({ ...machine, recorder: { record } });
    const [outcome] = await executor.run([{ id: "1", tool: "T", input: {} }]);
    expect(outcome).toMatchObject({ status: "ok", result: { output: "done" } });
    expect(outcome!.result.metadata?.logProblem).toContain("disk full");
  });

  it("E15 a result goes out only after it is recorded", async () => {
    const { machine } = testMachine([tool("T", () => "done")]);
    const order: string[] = [];
    const record = () => wait(5).then(() => void order.push("recorded"));
    const listener = ({ type }: { readonly type: string }) => void order.push(type);
    const executor = createExecutor({ ...machine, listener, recorder: { record } });
    await executor.run([{ id: "1", tool: "T", input: {} }]);
    expect(order.slice(-3)).toEqual(["tool:execution:start", "recorded", "tool:execution:complete"]);
  });

  it("J03 an input that does not fit names the field, and nothing runs", async () => {
    const executor = createExecutor(testMachine([Put]).machine);
    const [outcome] = await executor.run([{ id: "1", tool: "Put", input: { path: 7 } }]);
    expect(outcome?.result.error).toMatchObject({ code: "invalid_input" });
    expect(textOf(outcome!)).toMatch(/text: required, but missing[\s\S]*path: expected string, received number 7/);
  });

  it("A35 a tool may word its own validation message", async () => {
    const own = tool("T", () => "never", {
      explainInvalid: (issues) => `Say it right: ${issues.length}`,
      input: Put.input,
    });
    expect(textOf((await runOne(own)).outcome)).toContain("Say it right: 2");
  });

  it("E01 an unknown tool names the nearest and what there is; no later stage runs", async () => {
    const { machine, events } = testMachine([Get, Put]);
    const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Gett", input: {} }]);
    expect(textOf(outcome!)).toMatch(/no tool "Gett"[\s\S]*mean Get\?[\s\S]*Get, Put/);
    expect(events.map(({ type }) => type)).toEqual(["tool:call:received", "tool:execution:error"]);
  });

  it("J04 malformed JSON arguments are an error that says where; empty ones are an empty object", async () => {
    const executor = createExecutor(testMachine([Count, Put]).machine);
    const [bad, none] = await executor.run([
      { id: "1", tool: "Put", json: '{"path": "a", ' },
      { id: "2", tool: "Count", json: "" },
    ]);
    expect(bad?.result.error?.code).toBe("invalid_json");
    expect(none?.result.output).toBe(1);
  });

  it("A17 a failed validation stops the call before anyone is asked, with its message", async () => {
    let ran = false;
    const { outcome, events } = await runOne(
      tool(
        "T",
        () => {
          ran = true;
        },
        { validate: () => ({ message: "Not now.", hint: "Later." }) },
      ),
    );
    expect(outcome.result.error).toEqual({ code: "validation_failed", message: "Not now.", hint: "Later." });
    expect([ran, events.some(({ type }) => type === "tool:call:decided")]).toEqual([false, false]);
  });

  it("E12 an already aborted signal reaches read-only tools too: they do not run", async () => {
    let ran = false;
    const { outcome } = await runOne(
      tool(
        "T",
        () => {
          ran = true;
        },
        { effects: () => [read("a")] },
      ),
      AbortSignal.abort(),
    );
    expect(outcome.status).toBe("cancelled");
    expect(textOf(outcome)).toContain("Tool execution aborted");
    expect(ran).toBe(false);
  });

  it("E12 an abort reaches a running tool through its signal", async () => {
    const controller = new AbortController();
    const given = tool(
      "T",
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    setTimeout(() => controller.abort(), 20);
    const { outcome } = await runOne(given, controller.signal);
    expect(outcome.status).toBe("cancelled");
  });

  it("A22 a tool that blocks interrupts finishes first and keeps its result", async () => {
    const obedient = (onInterrupt: "block" | "cancel") => {
      const controller = new AbortController();
      const given = tool(
        "T",
        async (_, { signal }) => {
          controller.abort();
          await wait(1);
          return signal.aborted ? Promise.reject(signal.reason) : "finished";
        },
        { onInterrupt },
      );
      return runOne(given, controller.signal);
    };
    const { outcome } = await obedient("block");
    expect([outcome.status, textOf(outcome)]).toEqual(["ok", "finished"]);
    expect((await obedient("cancel")).outcome.status).toBe("cancelled");
  });

  it("J06 a tool that never ends is ended by its time limit, and has a result", async () => {
    const { outcome } = await runOne(
      tool(
        "T",
        (_, { signal }) => new Promise((_r, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        {
          limits: { timeoutMs: 30 },
        },
      ),
    );
    expect(outcome.result.error?.code).toBe("timeout");
  });

  it("E14 a tool that ignores its signal is left behind; the call ends all the same", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const { outcome } = await runOne(
      tool("T", () => new Promise(() => {})),
      controller.signal,
    );
    expect(outcome.status).toBe("cancelled");
  });

  it("E14 two calls with one id: the second is answered and does not run", async () => {
    const disk = new Map<string, string>();
    const executor = createExecutor(testMachine([Put], { ports: memoryPorts(disk) }).machine);
    const outcomes = await executor.run([
      { id: "same", tool: "Put", input: { path: "a", text: "1" } },
      { id: "same", tool: "Put", input: { path: "b", text: "2" } },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "error"]);
    expect([...disk.keys()]).toEqual(["/w/a"]);
  });

  it("E14 a message that breaks off: a waiting call does not start, a running one finishes, all are answered", async () => {
    const disk = new Map<string, string>();
    const { machine } = testMachine([Put], { ports: memoryPorts(disk, { delayMs: 30 }) });
    const batch = createExecutor(machine).open();
    batch.add({ id: "1", tool: "Put", input: { path: "a", text: "1" } });
    batch.add({ id: "2", tool: "Put", input: { path: "a", text: "2" } });
    await wait(10);
    const outcomes = await batch.discard("the stream broke off");
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "cancelled"]);
    expect(disk.get("/w/a")).toBe("1");
  });

  it("E14 a tool that uses a port beyond its effects is stopped: undeclared_effect", async () => {
    const { machine } = testMachine([
      tool("T", (_, { ports }) => ports.files.write("/w/secret", "x"), { effects: () => [read("other")] }),
    ]);
    const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "T", input: {} }]);
    expect(outcome?.result.error?.code).toBe("undeclared_effect");
  });
});
