import { describe, expect, it, vi } from "vitest";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import {
  type AnyDeclarativeTool,
  askMessageBus,
  BaseDeclarativeTool,
  BaseToolInvocation,
  fromDeclarative,
  Kind,
  type MessageBus,
  type MessageBusDecision,
  MUTATOR_KINDS,
  policyBus,
  type ToolLocation,
  type ToolResult,
  toErrorCode,
  toErrorType,
  toToolResult,
} from "./index.ts";

// The sample of the document as it stands there.
interface MyToolParams {
  input: string;
}

class MyToolInvocation extends BaseToolInvocation<MyToolParams, ToolResult> {
  getDescription(): string {
    return `Processing: ${this.params.input}`;
  }

  async execute(_signal: AbortSignal): Promise<ToolResult> {
    // 实现工具逻辑
    const result = `Processed: ${this.params.input}`;
    return {
      llmContent: result,
      returnDisplay: result,
    };
  }
}

export class MyTool extends BaseDeclarativeTool<MyToolParams, ToolResult> {
  constructor() {
    super(
      "my_tool", // name
      "My Custom Tool", // displayName
      "A custom tool", // description
      Kind.Other, // kind
      {
        // parameterSchema
        type: "object",
        properties: {
          input: { type: "string", description: "Input text" },
        },
        required: ["input"],
      },
    );
  }

  protected createInvocation(params: MyToolParams): MyToolInvocation {
    return new MyToolInvocation(params);
  }
}

it("A37 classes of another copy of the package follow the rules as well", async () => {
  vi.resetModules();
  const other = await import("./invocation.ts");
  expect(other.BaseToolInvocation).not.toBe(BaseToolInvocation);
  class Foreign extends other.BaseToolInvocation<MyToolParams, ToolResult> {
    getDescription = () => "Processing";
    execute = async (): Promise<ToolResult> => ({ llmContent: "done", returnDisplay: "done" });
  }
  class ForeignTool extends MyTool {
    protected override createInvocation = (params: MyToolParams) => new Foreign(params);
  }
  const { call } = customTools([fromDeclarative(new ForeignTool())], { allow: ["my_tool"] });
  expect(textOf(await call("my_tool", { input: "x" }))).toBe("done");
});

const yes = async () => ({ behavior: "allow" }) as const;
const never = new AbortController().signal;

describe("the sample", () => {
  it("A37 it runs by itself and through the pipeline, where it asks", async () => {
    const tool = new MyTool();
    expect(await tool.build({ input: "x" }).execute(never)).toEqual({
      llmContent: "Processed: x",
      returnDisplay: "Processed: x",
    });
    const asked: string[] = [];
    const { call } = customTools([fromDeclarative(tool)], {
      answer: async ({ title }) => {
        asked.push(title);
        return { behavior: "allow" };
      },
    });
    const outcome = await call("my_tool", { input: "x" });
    expect([textOf(outcome), outcome.result.display, asked]).toEqual([
      "Processed: x",
      { kind: "markdown", text: "Processed: x" },
      ["Processing: x"],
    ]);
    expect((await customTools([fromDeclarative(tool)]).call("my_tool", { input: "x" })).status).toBe("denied");
  });

  it("A36 building twice gives two invocations that know nothing of each other", () => {
    const tool: AnyDeclarativeTool = new MyTool();
    const [a, b] = [tool.build({ input: "a" }), tool.build({ input: "b" })];
    expect([a.params, b.params, a.getDescription(), a.toolLocations()]).toEqual([
      { input: "a" },
      { input: "b" },
      "Processing: a",
      [],
    ]);
    expect(tool.schema).toMatchObject({ name: "my_tool", parametersJsonSchema: { required: ["input"] } });
  });

  it("J11 parameters that do not fit: the class throws, the pipeline answers with an error", async () => {
    const wrong = { input: 7 } as unknown as MyToolParams;
    expect(() => new MyTool().build(wrong)).toThrow(/input/);
    const { call } = customTools([fromDeclarative(new MyTool())], { answer: yes });
    expect((await call("my_tool", wrong)).result.error).toMatchObject({ code: "invalid_input" });
  });
});

/** A tool of any kind at a place. */
function toolOf(kind: Kind, paths: readonly string[] = [], messageBus?: MessageBus) {
  class Invocation extends BaseToolInvocation<{ url?: string }, ToolResult> {
    getDescription = () => `do ${kind}`;
    override toolLocations = (): ToolLocation[] => paths.map((path) => ({ path }));
    execute = async (): Promise<ToolResult> => ({ llmContent: "done", returnDisplay: "done" });
  }
  class Any extends BaseDeclarativeTool<{ url?: string }, ToolResult> {
    protected createInvocation = (params: { url?: string }) => new Invocation(params);
  }
  return new Any(`any_${kind}`, "Any", "Any.", kind, { type: "object" }, true, false, messageBus);
}

const table: [Kind, readonly string[], object, boolean][] = [
  [Kind.Read, ["/w/a.ts"], {}, false],
  [Kind.Search, ["/w"], {}, false],
  [Kind.Think, [], {}, false],
  [Kind.Edit, ["/w/a.ts"], {}, true],
  [Kind.Delete, ["/w/a.ts"], {}, true],
  [Kind.Move, ["/w/a.ts", "/w/b.ts"], {}, true],
  [Kind.Execute, [], {}, true],
  [Kind.Fetch, [], { url: "https://example.com/x" }, true],
  [Kind.Other, [], {}, true],
];

describe("whether a call is confirmed", () => {
  it.each(table)(
    "F33 kind %s, in the class and in the pipeline of a host that vouches for it",
    async (kind, paths, input, asks) => {
      const tool = toolOf(kind, paths);
      const details = await tool.build(input).shouldConfirmExecute();
      expect(details !== false).toBe(asks);
      let asked = 0;
      const answer = async () => {
        asked++;
        return { behavior: "allow" } as const;
      };
      const { call } = customTools([fromDeclarative(tool)], { basis: "enforced", answer });
      expect([(await call(`any_${kind}`, input)).status, asked]).toEqual(["ok", asks ? 1 : 0]);
    },
  );

  it("F33 fetch asks for each new host; MUTATOR_KINDS are the four that change something", async () => {
    let asked = 0;
    const answer = async () => {
      asked++;
      return { behavior: "allow" } as const;
    };
    const options = { basis: "enforced", answer, allow: ["connect(known.org)"] } as const;
    const { call } = customTools([fromDeclarative(toolOf(Kind.Fetch))], options);
    await call("any_fetch", { url: "https://known.org/" });
    expect(asked).toBe(0);
    await call("any_fetch", { url: "https://new.org/" });
    expect([asked, MUTATOR_KINDS]).toEqual([1, ["edit", "delete", "move", "execute"]]);
  });

  it("F13 no bus, no answer, a late or a wrong one: a person decides, and never nobody", async () => {
    const silent: MessageBus = { request: () => new Promise(() => {}) };
    const broken: MessageBus = { request: () => Promise.reject(new Error("gone")) };
    const odd: MessageBus = { request: async () => "YES" as MessageBusDecision };
    const question = { toolName: "t", params: {} };
    for (const bus of [undefined, silent, broken, odd]) expect(await askMessageBus(bus, question, 20)).toBe("ASK_USER");
    expect(await toolOf(Kind.Read, [], broken).build({}).shouldConfirmExecute()).not.toBe(false);
  });

  it("F13 F14 Haft's policy on the bus: allow asks nobody, deny throws in the class and is an error in the pipeline", async () => {
    const bus = (kind: Kind, options: Parameters<typeof customTools>[1]): MessageBus => {
      const { executor } = customTools([fromDeclarative(toolOf(kind, ["/w/a"]))], options);
      return policyBus({ decide: async (request) => (await executor.explain(request)).decision! });
    };
    const confirm = (kind: Kind, options: Parameters<typeof customTools>[1]) =>
      toolOf(kind, ["/w/a"], bus(kind, options)).build({}).shouldConfirmExecute();
    expect(await confirm(Kind.Edit, { allow: ["any_edit"] })).toBe(false);
    expect(await confirm(Kind.Edit, {})).toMatchObject({ type: "edit", filePath: "/w/a", fileName: "a" });
    await expect(confirm(Kind.Edit, { deny: ["any_edit"] })).rejects.toThrow(/refuses/);
    const { call } = customTools([fromDeclarative(toolOf(Kind.Edit, ["/w/a"]))], { deny: ["any_edit"] });
    const { result } = await call("any_edit", {});
    expect(toToolResult(result).error).toMatchObject({ type: "PERMISSION_DENIED" });
  });

  it("F14 F25 a class that decides for itself can only tighten", async () => {
    class Own extends MyTool {
      protected override createInvocation(params: MyToolParams): MyToolInvocation {
        const invocation = new MyToolInvocation(params);
        invocation.shouldConfirmExecute = async () => {
          if (params.input === "never") throw new Error("not in this house");
          return invocation.getConfirmationDetails();
        };
        return invocation;
      }
    }
    const { call } = customTools([fromDeclarative(new Own())], { allow: ["my_tool"] });
    expect((await call("my_tool", { input: "x" })).result.error?.code).toBe("needs_approval");
    expect((await call("my_tool", { input: "never" })).result.error?.message).toContain("not in this house");
  });

  it("F25 details and their callback; the second call is ignored", async () => {
    const invocation = toolOf(Kind.Execute).build({}) as BaseToolInvocation<object, ToolResult>;
    const details = await invocation.shouldConfirmExecute();
    expect(details).toMatchObject({ type: "exec", command: "do execute", rootCommand: "do" });
    if (details === false) throw new Error("nobody was asked");
    await details.onConfirm("cancel");
    await details.onConfirm("proceed_always");
    expect(invocation.outcome).toBe("cancel");
  });
});

describe("results", () => {
  it("J10 an error of the class is the error of the call, and back", async () => {
    class Failing extends MyTool {
      protected override createInvocation(params: MyToolParams): MyToolInvocation {
        const invocation = new MyToolInvocation(params);
        const error = { message: "it is not there", type: "FILE_NOT_FOUND" } as const;
        invocation.execute = async () => ({ llmContent: "details", returnDisplay: "details", error });
        return invocation;
      }
    }
    const { call } = customTools([fromDeclarative(new Failing())], { answer: yes });
    const { result } = await call("my_tool", { input: "x" });
    expect(result.error).toMatchObject({ code: "file_not_found", message: "it is not there" });
    expect(toToolResult(result)).toMatchObject({ error: { message: "it is not there", type: "FILE_NOT_FOUND" } });
    expect(toErrorType("invalid_input")).toBe("INVALID_TOOL_PARAMS");
    expect([toErrorCode("INVALID_TOOL_PARAMS"), toErrorCode("NEVER_HEARD")]).toEqual([
      "invalid_input",
      "execution_failed",
    ]);
  });

  it("A25 A27 live output only where the tool can give it, and Markdown only where it says so", async () => {
    class Live extends BaseDeclarativeTool<MyToolParams, ToolResult> {
      protected createInvocation(params: MyToolParams) {
        const invocation = new MyToolInvocation(params);
        invocation.execute = async (_signal: AbortSignal, updateOutput?: (output: string) => void) => {
          updateOutput?.("half");
          return { llmContent: ["a", { text: "b" }], returnDisplay: "# literal" };
        };
        return invocation;
      }
    }
    const schema = new MyTool().parameterSchema;
    for (const canUpdate of [true, false]) {
      const { call, events } = customTools([
        fromDeclarative(new Live("live", "Live", "Live.", Kind.Think, schema, false, canUpdate)),
      ]);
      const { result } = await call("live", { input: "x" });
      expect([result.content.length, result.display]).toEqual([2, { kind: "text", text: "# literal" }]);
      const outputs = events.flatMap((event) =>
        event.type === "tool:execution:progress" ? [event.progress.output] : [],
      );
      expect(outputs).toEqual(canUpdate ? ["half"] : []);
    }
  });
});
