import { describe, expect, it } from "vitest";
import { testMachine } from "../../test/support/machine.ts";
import { Get, Put } from "../../test/support/tools.ts";
import { createExecutor } from "../executor/index.ts";
import { HaftError as Thrown } from "./error.ts";
import {
  activityOf,
  contentText,
  defineTool,
  type Effect,
  effects,
  errorCodes,
  MUTATOR_KINDS,
  NAME_PATTERN,
  pathsOf,
  staticTraits,
  toJson,
  toToolError,
  traitsOf,
  wireName,
} from "./index.ts";

const { read, write, run, connect, send, call, delegate, ask, state, unknown, move } = effects;
const ls = run({ argv: ["ls"], text: "ls", cwd: "/w", basis: "proved", opaque: false });
const make = run({ argv: ["make"], text: "make", cwd: "/w" });

describe("the traits that follow from effects", () => {
  it.each<[string, readonly Effect[]]>([
    ["read", [read("/a")]],
    ["search", [read("/a", { tree: true })]],
    ["edit", [read("/a"), write("/a", "modify")]],
    ["delete", [effects.delete("/a")]],
    ["move", move("/a", "/b")],
    ["execute", [make, write("/a")]],
    ["fetch", [connect("https://example.com/x", { sends: false })]],
    ["think", []],
    ["other", [unknown("?")]],
  ])("A07 kind %s", (kind, given) => expect(traitsOf(given).kind).toBe(kind));

  it("A07 the mutator kinds are edit, delete, move and execute", () => {
    expect(MUTATOR_KINDS).toEqual(["edit", "delete", "move", "execute"]);
  });

  it.each<[boolean, Effect]>([
    [true, read("/a")],
    [true, ls],
    [true, connect("example.com", { sends: false })],
    [true, call("s", "t", { change: false })],
    [true, state("todos", { change: false })],
    [false, write("/a")],
    [false, make],
    [false, connect("example.com")],
    [false, send("mail", "x")],
    [false, call("s", "t")],
    [false, delegate("a")],
    [false, ask()],
    [false, state("todos")],
    [false, unknown("?")],
  ])("A08 isReadOnly is %s for %j", (expected, effect) => expect(traitsOf([effect]).isReadOnly).toBe(expected));

  it("A08 P09 without an input the answer is the careful one, from what the tool can do", () => {
    expect(
      [staticTraits(["read"]), staticTraits(["read", "run"]), staticTraits()].map(({ isReadOnly }) => isReadOnly),
    ).toEqual([true, false, false]);
    expect(staticTraits(["read", "run"]).isDestructive).toBe(true);
  });

  it("A08 a tool whose effects throw counts as unknown: not read-only, not safe, and asked about", async () => {
    const broken = {
      ...Get,
      effects: () => {
        throw new Error("oops");
      },
    };
    const [outcome] = await createExecutor(testMachine([broken]).machine).run([
      { id: "1", tool: "Get", input: { path: "f" } },
    ]);
    expect(outcome?.effects).toMatchObject([{ do: "unknown", why: expect.stringContaining("oops") }]);
    expect(outcome?.traits).toMatchObject({ isReadOnly: false, isConcurrencySafe: false });
  });

  it("A09 delegation is safe beside others though it is not read-only; an override needs a reason", () => {
    expect(traitsOf([delegate("a")])).toMatchObject({ isReadOnly: false, isConcurrencySafe: true });
    const lying = { name: "T", description: "", input: {}, run: () => 1, override: { isReadOnly: true, because: "" } };
    expect(() => defineTool(lying as never)).toThrow("without a reason");
    expect(traitsOf([write("/a")], { isReadOnly: true, because: "it is a scratch file" }).isReadOnly).toBe(true);
  });

  it("A10 deleting, overwriting and sending are destructive; creating is not", () => {
    const destructive = (effect: Effect) => traitsOf([effect]).isDestructive;
    expect([effects.delete("/a"), write("/a", "replace"), send("mail")].map(destructive)).toEqual([true, true, true]);
    expect([write("/a", "create"), write("/a", "modify"), read("/a")].map(destructive)).toEqual([false, false, false]);
  });

  it("A20 the affected paths come from the effects, each once", () => {
    expect(pathsOf([read("/a"), write("/a", "modify"), ...move("/b", "/c")])).toEqual(["/a", "/b", "/c"]);
  });

  it("A34 the effects give the activity text of a tool that has none of its own", () => {
    const words = (...given: Effect[]) => activityOf(given, (path) => path.slice(1));
    expect([words(read("/src/foo.ts")), words(make), words(write("/x")), words()]).toEqual([
      "Reading src/foo.ts",
      "Running make",
      "Writing x",
      "Working",
    ]);
  });
});

describe("defining a tool", () => {
  it("A45 name, schema and run are enough: the rest is the careful default", async () => {
    const tool = defineTool({ name: "T", description: "d", input: { type: "object" } as const, run: () => "hi" });
    expect(tool.can).toEqual(["unknown"]);
    const [outcome] = await createExecutor(testMachine([tool]).machine).run([{ id: "1", tool: "T", input: {} }]);
    expect([outcome?.status, outcome?.effects[0]?.do]).toEqual(["ok", "unknown"]);
  });

  it("A46 effects stay within the tool's static bound; an effect beyond it counts as unknown", async () => {
    const sly = { ...Get, effects: () => [write("f")] };
    const [outcome] = await createExecutor(testMachine([sly]).machine).run([
      { id: "1", tool: "Get", input: { path: "f" } },
    ]);
    expect(outcome?.effects.map((effect) => effect.do)).toEqual(["write", "unknown"]);
  });

  it("A03 display names: the words for this input, else the title, else the name; half an input does no harm", async () => {
    const titleOf = async (extra: object, input: unknown) => {
      const { machine, events } = testMachine([{ ...Put, ...extra }]);
      await createExecutor(machine).run([{ id: "1", tool: "Put", input }]);
      return "title" in events[0]! ? events[0].title : undefined;
    };
    const describe = (input: { path?: string }) => ({ title: `Put ${input.path!.toUpperCase()}` });
    expect(await titleOf({ describe, title: "Writer" }, { path: "a", text: "" })).toBe("Put A");
    expect(await titleOf({ describe, title: "Writer" }, {})).toBe("Writer");
    expect(await titleOf({}, {})).toBe("Put");
  });

  it("D14 names fit every provider; long ones are shortened with a hash and never become one", () => {
    const long = "mcp__server__".padEnd(90, "x");
    const names = [long, `${long}y`, "a.b/c", "a_b/c"].map(wireName);
    expect(names.every((name) => NAME_PATTERN.test(name))).toBe(true);
    expect(new Set(names).size).toBe(4);
    expect(wireName("Read")).toBe("Read");
    expect(() => defineTool({ ...Get, name: "a b", input: Get.input.json })).toThrow("cannot be a tool name");
  });
});

describe("content and errors", () => {
  it("H04 JSON for the model has two spaces and survives undefined, BigInt and cycles", () => {
    const loop: Record<string, unknown> = { n: 1n, u: undefined, twice: [{}, {}] };
    loop.self = loop;
    expect(JSON.parse(toJson(loop))).toEqual({ n: "1", twice: [{}, {}], self: "[circular]" });
    expect([toJson({ a: 1 }), toJson(undefined)]).toEqual(['{\n  "a": 1\n}', "null"]);
  });

  it("H04 a value that is used twice without a circle is written twice", () => {
    const shared = { v: 1 };
    expect(JSON.parse(toJson({ a: shared, b: shared }))).toEqual({ a: { v: 1 }, b: { v: 1 } });
  });

  it("H02 the output for programs never reaches the model when the tool says what the model reads", async () => {
    const tool = {
      ...Get,
      run: async () => ({ path: "/secret", size: 3 }),
      toModel: () => [{ type: "text" as const, text: "3 bytes" }],
    };
    const [outcome] = await createExecutor(testMachine([tool as never]).machine).run([
      { id: "1", tool: "Get", input: { path: "f" } },
    ]);
    expect(outcome?.result).toMatchObject({
      content: [{ type: "text", text: "3 bytes" }],
      output: { path: "/secret", size: 3 },
    });
  });

  it("H05 the model's text and people's display may differ, and each goes only where it belongs", async () => {
    const tool = {
      ...Get,
      run: async () => "model",
      toDisplay: () => ({ kind: "markdown" as const, text: "**people**" }),
    };
    const { machine, events } = testMachine([tool]);
    const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Get", input: { path: "f" } }]);
    expect(outcome?.result.content.map(contentText)).toEqual(["model"]);
    expect(events.at(-1)).toMatchObject({ content: { kind: "markdown", text: "**people**" } });
  });

  it("J06 every error code is lower_snake_case and named once", () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes.every((code) => /^[a-z]+(_[a-z]+)*$/.test(code))).toBe(true);
  });

  it("J10 errors of another copy of the class keep their code; aborts and timeouts have their own", () => {
    const foreign = Object.assign(new Error("x"), { code: "no_space", [Symbol.for("haft.HaftError")]: true });
    expect(toToolError(foreign).code).toBe("no_space");
    expect(toToolError(new Thrown({ code: "conflict", message: "m" })).code).toBe("conflict");
    expect(toToolError(AbortSignal.abort().reason).code).toBe("cancelled");
    expect(toToolError(new DOMException("late", "TimeoutError")).code).toBe("timeout");
  });
});
