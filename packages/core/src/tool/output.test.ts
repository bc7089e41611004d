import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { testMachine } from "../../test/support/machine.ts";
import { createExecutor } from "../executor/index.ts";
import type { Hook } from "../hook/index.ts";
import { defineTool } from "./index.ts";

const output = z.object({ lines: z.number().int(), path: z.string() });
const counting = (given: unknown) =>
  defineTool({
    name: "Count",
    description: "Counts lines.",
    input: z.object({ path: z.string().describe("The file.") }),
    output,
    can: ["read"],
    effects: () => [],
    run: async () => given as z.infer<typeof output>,
    toModel: ({ lines }) => [{ type: "text", text: `${lines} lines` }],
  });

async function resultOf(given: unknown, hooks: readonly Hook[] = []) {
  const { machine } = testMachine([counting(given) as never], { hooks });
  const [outcome] = await createExecutor(machine).run([{ id: "c", tool: "Count", input: { path: "f" } }]);
  return outcome!.result;
}

describe("the schema of an output", () => {
  it("B05 types the result: a run that gives something else does not compile", () => {
    expectTypeOf(counting({}).run).returns.extract<Promise<unknown>>().resolves.toEqualTypeOf<{
      lines: number;
      path: string;
    }>();
    defineTool({
      name: "Wrong",
      description: "Gives a text where a number is promised.",
      input: z.object({}),
      output,
      // @ts-expect-error lines is a number
      run: async () => ({ lines: "three", path: "f" }),
    });
  });

  it("B05 is checked when the tool has run: an invalid output is named, and the call has succeeded all the same", async () => {
    expect((await resultOf({ lines: 3, path: "f" })).metadata?.outputProblem).toBeUndefined();
    const wrong = await resultOf({ lines: "three", path: "f" });
    expect(wrong.error).toBeUndefined();
    expect(wrong.metadata?.outputProblem).toMatch(/output does not fit the schema of Count: lines: /);
  });

  it("B05 an output that a hook puts in its place counts where it fits, and is ignored where it does not", async () => {
    const replacing = (by: unknown): Hook => ({ name: "replace", after: async () => ({ output: by }) });
    const fitting = await resultOf({ lines: 3, path: "f" }, [replacing({ lines: 9, path: "g" })]);
    expect([fitting.output, fitting.content[0]]).toEqual([
      { lines: 9, path: "g" },
      { type: "text", text: "9 lines" },
    ]);
    const wrong = await resultOf({ lines: 3, path: "f" }, [replacing("nine")]);
    expect(wrong.output).toEqual({ lines: 3, path: "f" });
    expect(wrong.content.map((item) => ("text" in item ? item.text : "")).join("\n")).toContain("does not fit Count");
  });
});
