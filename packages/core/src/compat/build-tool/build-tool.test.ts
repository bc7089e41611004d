import { describe, expect, it } from "vitest";
import { z } from "zod";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import { buildTool, fromBuildTool, lazySchema, type Progress, type ToolDef } from "./index.ts";

type Input = typeof inputSchema;
interface Output {
  greeting: string;
}
const inputSchema = z.object({ name: z.string().describe("Whom to greet."), path: z.string().optional() });

// The form of the document: an object that satisfies the type, its schema made when it is first used.
const definition = {
  name: "Greet",
  inputSchema,
  async description(input: z.infer<Input>) {
    return input.name === undefined ? "Greets." : `Greets ${input.name}.`;
  },
  async call(args: z.infer<Input>, _context, _canUseTool, _parentMessage, onProgress?: (progress: Progress) => void) {
    onProgress?.({ title: "waving" });
    return { data: { greeting: `hello ${args.name}` } };
  },
} satisfies ToolDef<Input, Output, Progress>;

const GreetTool = buildTool<Input, Output, Progress>({
  ...definition,
  aliases: ["Hello"],
  searchHint: "say hello to somebody",
  mapToolResultToToolResultBlockParam: ({ greeting }, id) => ({
    type: "tool_result",
    tool_use_id: id,
    content: greeting,
  }),
  renderToolUseMessage: ({ name }) => `Greet ${name ?? "…"}`,
  renderToolResultMessage: ({ greeting }) => ({ kind: "markdown", text: `**${greeting}**` }),
  getActivityDescription: ({ name }) => `Greeting ${name}`,
});

const yes = async () => ({ behavior: "allow" }) as const;
const { name: _name, ...nameless } = definition;

describe("buildTool", () => {
  it("A41 a field of the wrong type does not compile", () => {
    // @ts-expect-error a name is a text
    ({ ...definition, name: 7 }) satisfies ToolDef<Input, Output, Progress>;
    // @ts-expect-error call gives data of the type that was promised
    ({ ...definition, call: async () => ({ data: 7 }) }) satisfies ToolDef<Input, Output, Progress>;
    // @ts-expect-error a tool has a name
    nameless satisfies ToolDef<Input, Output, Progress>;
    expect(GreetTool.name).toBe("Greet");
  });

  it("A41 a missing method gets the careful answer", () => {
    const input = { name: "x" };
    const answers = [GreetTool.isReadOnly(input), GreetTool.isConcurrencySafe(input), GreetTool.isDestructive(input)];
    expect([answers, GreetTool.isEnabled(), GreetTool.interruptBehavior(), GreetTool.maxResultSizeChars]).toEqual([
      [false, false, true],
      true,
      "cancel",
      100_000,
    ]);
    expect(buildTool({ ...definition, isReadOnly: () => true }).isConcurrencySafe(input)).toBe(true);
  });

  it("A41 a schema may be made later", async () => {
    let made = 0;
    const later = lazySchema(() => {
      made++;
      return inputSchema;
    });
    const tool = fromBuildTool(buildTool({ ...definition, inputSchema: later }));
    expect(made).toBe(0);
    expect((await customTools([tool], { answer: yes }).call("Greet", {})).result.error?.code).toBe("invalid_input");
    expect(made).toBe(1);
  });
});

describe("such a tool in the pipeline", () => {
  it("A23 A31 it asks, runs, and shows itself in its own words, with half an input too", async () => {
    const tool = fromBuildTool(GreetTool);
    expect(tool.describe?.({})).toEqual({ title: "Greet …", activity: "Greeting undefined" });
    const asked: unknown[] = [];
    const { call } = customTools([tool], {
      answer: async ({ title, show }) => {
        asked.push([title, show]);
        return { behavior: "allow" };
      },
    });
    const outcome = await call("Hello", { name: "Ada\u001b[31m" });
    expect([textOf(outcome), outcome.result.display]).toEqual([
      "hello Ada\u001b[31m",
      { kind: "markdown", text: "**hello Ada\u001b[31m**" },
    ]);
    expect(asked).toEqual([["Greet Ada\u001b[31m", { kind: "text", text: "Greet Ada\u001b[31m" }]]);
    expect((await customTools([tool]).call("Greet", { name: "x" })).status).toBe("denied");
  });

  it("A28 A31 without words of its own it has the default ones", async () => {
    const { call } = customTools([fromBuildTool(buildTool(definition))], { answer: yes });
    const outcome = await call("Greet", { name: "x" });
    expect([textOf(outcome), outcome.result.display]).toEqual(['{\n  "greeting": "hello x"\n}', undefined]);
  });

  it("A41 its answers about an input are claims: they tighten, and allow nothing by themselves", async () => {
    const reader = buildTool({ ...definition, isReadOnly: () => true, getPath: ({ path }) => path });
    const writer = buildTool({ ...definition, getPath: ({ path }) => path });
    const wishes = buildTool({
      ...definition,
      isReadOnly: () => true,
      checkPermissions: async ({ name }) =>
        name === "nobody" ? { behavior: "deny", message: "nobody is there" } : { behavior: "allow" },
    });
    const effectsOf = async (tool: typeof reader) =>
      (await customTools([fromBuildTool(tool)], { answer: yes }).call("Greet", { name: "x", path: "a.ts" })).effects;
    expect(await effectsOf(reader)).toMatchObject([{ do: "read", path: "/w/a.ts", basis: "claimed" }]);
    expect(await effectsOf(writer)).toMatchObject([{ do: "write", path: "/w/a.ts", basis: "claimed" }]);
    const { call } = customTools([fromBuildTool(wishes)], { allow: ["Greet"] });
    expect((await call("Greet", { name: "nobody" })).result.error?.message).toContain("nobody is there");
    expect((await call("Greet", { name: "x" })).status).toBe("ok");
    expect((await customTools([fromBuildTool(wishes)]).call("Greet", { name: "x" })).status).toBe("denied");
  });

  it("J10 validation, a marked block and a question in the middle end as errors of the call", async () => {
    const picky = buildTool({
      ...definition,
      validateInput: async ({ name }) => (name === "x" ? { result: false, message: "not x" } : { result: true }),
      mapToolResultToToolResultBlockParam: (_output, id) => ({
        type: "tool_result",
        tool_use_id: id,
        content: "went wrong",
        is_error: true,
      }),
    });
    const { call } = customTools([fromBuildTool(picky)], { answer: yes });
    expect((await call("Greet", { name: "x" })).result.error?.message).toContain("not x");
    expect((await call("Greet", { name: "y" })).result.error).toMatchObject({
      code: "execution_failed",
      message: "went wrong",
    });
    const curious = buildTool<Input, Output, Progress>({
      ...definition,
      async call(_args, _context, canUseTool) {
        const said = await canUseTool({ name: "Other" }, { deep: true });
        return { data: { greeting: said.behavior } };
      },
    });
    let asked = 0;
    const answer = async () =>
      asked++ === 0 ? ({ behavior: "allow" } as const) : ({ behavior: "deny", message: "no" } as const);
    const outcome = await customTools([fromBuildTool(curious)], { answer }).call("Greet", { name: "x" });
    expect([outcome.result.output, asked]).toEqual([{ greeting: "deny" }, 2]);
  });
});
