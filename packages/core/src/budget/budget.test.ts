import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testMachine, textOf } from "../../test/support/machine.ts";
import { Get } from "../../test/support/tools.ts";
import { createExecutor } from "../executor/index.ts";
import { contentsText, type Limits, text } from "../tool/index.ts";
import { applyBudget } from "./budget.ts";
import type { Spill } from "./index.ts";
import { shapes, truncate } from "./truncate.ts";

function memorySpill() {
  const files = new Map<string, string>();
  const spill: Spill = {
    async write(callId, whole) {
      files.set(`/spill/${callId}`, whole);
      return `/spill/${callId}`;
    },
  };
  return { files, spill };
}

async function resultOf(size: number, limits: Limits, changes: Parameters<typeof testMachine>[1] = {}) {
  const { machine } = testMachine([{ ...Get, limits, run: async () => "x".repeat(size) }], changes);
  return (await createExecutor(machine).run([{ id: "c", tool: "Get", input: { path: "f" } }]))[0]!;
}

describe("budget of a result", () => {
  it("H10 at the limit the result is whole, one character more is spilled; Infinity never spills", async () => {
    const { spill, files } = memorySpill();
    expect(textOf(await resultOf(100, { resultChars: 100 }, { spill }))).toBe("x".repeat(100));
    expect(files.size).toBe(0);
    expect((await resultOf(101, { resultChars: 100 }, { spill })).result.spilled?.path).toBe("/spill/c");
    expect(
      (await resultOf(300_000, { resultChars: Number.POSITIVE_INFINITY }, { spill })).result.spilled,
    ).toBeUndefined();
  });

  it("H10 a tool that says nothing has 100,000 characters", async () => {
    expect((await resultOf(100_000, {})).result.content).toEqual([text("x".repeat(100_000))]);
    expect(textOf(await resultOf(100_001, {}))).toContain("the first 100,000 of 100,001 characters");
  });

  it("H11 the model gets a preview, the path and the size; the file is the whole result", async () => {
    const { spill, files } = memorySpill();
    const outcome = await resultOf(5_000, { resultChars: 100 }, { spill });
    expect(textOf(outcome)).toMatch(/\/spill\/c; read it with an offset and a limit/);
    expect(files.get("/spill/c")).toBe("x".repeat(5_000));
    expect(outcome.result.spilled).toMatchObject({ bytes: 5_000, lines: 1 });
  });

  it("H11 errors are held to the budget too", async () => {
    const { spill, files } = memorySpill();
    const { machine } = testMachine(
      [{ ...Get, limits: { resultChars: 50 }, run: () => Promise.reject("e".repeat(500)) }],
      { spill },
    );
    const [outcome] = await createExecutor(machine).run([{ id: "c", tool: "Get", input: { path: "f" } }]);
    expect(files.get("/spill/c")).toBe("e".repeat(500));
    expect(outcome?.result.error?.code).toBe("execution_failed");
  });

  it("H15 when the spill fails the result is cut with a notice, and nothing crashes", async () => {
    const spill: Spill = { write: () => Promise.reject(new Error("no space left on device")) };
    const outcome = await resultOf(500, { resultChars: 100 }, { spill });
    expect(outcome.status).toBe("ok");
    expect(textOf(outcome)).toContain("The rest is lost: no space left on device");
  });

  it("H15 terminals keep head and tail, other results their head", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const terminal = truncate(lines, 200, shapes.terminal).text;
    expect([terminal.startsWith("line 0\n"), terminal.endsWith("line 99")]).toEqual([true, true]);
    expect(truncate(lines, 200).text.startsWith("line 0\n")).toBe(true);
    expect(truncate(lines, 200).text).not.toContain("line 99");
  });

  it("H15 no cut splits a character, one giant line still shows something, and the room is kept", () => {
    const anyText = fc.string({ unit: "binary", maxLength: 400 });
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 4, max: 200 }),
        fc.constantFrom(shapes.head, shapes.terminal),
        (given, limit, shape) => {
          const cut = truncate(given, limit, shape);
          if (given.length <= limit) return cut.text === given;
          const shown = given.length - cut.omitted;
          return shown > 0 && shown <= limit && (!given.isWellFormed() || cut.text.isWellFormed());
        },
      ),
    );
  });

  it("H15 a budgeted result and its spill together are the whole result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 4 }), async (parts) => {
        const { spill, files } = memorySpill();
        const whole = contentsText(parts.map(text));
        const result = await applyBudget({ content: parts.map(text) }, 120, "c", spill);
        expect(result.spilled ? files.get("/spill/c") : contentsText(result.content)).toBe(whole);
      }),
    );
  });

  it("H13 several middling results together keep to the batch's budget, and the removed parts are in files", async () => {
    const { spill, files } = memorySpill();
    const tool = { ...Get, run: async () => "x".repeat(30_000) };
    const { machine } = testMachine([tool], { spill, batchChars: 100_000 });
    const calls = Array.from({ length: 10 }, (_, index) => ({
      id: `c${index}`,
      tool: "Get",
      input: { path: `f${index}` },
    }));
    const outcomes = await createExecutor(machine).run(calls);
    const shown = outcomes.map((outcome) => textOf(outcome).length);
    expect(shown.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000 + 10 * 2_500);
    expect(Math.min(...shown)).toBeGreaterThan(1_500);
    expect([...files.values()].every((text) => text.length === 30_000)).toBe(true);
  });

  it("H13 images do not count as text", async () => {
    const image = { type: "image" as const, data: "A".repeat(10_000), mediaType: "image/png" };
    const result = await applyBudget({ content: [text("t".repeat(90)), image] }, 50, "c", memorySpill().spill);
    expect(result.content.at(-1)).toBe(image);
    expect(result.spilled?.bytes).toBe(90);
  });

  it("H13 pictures count: a picture that one request cannot carry is stored in a file and named", async () => {
    const kept: [string, number][] = [];
    const spill: Spill = {
      ...memorySpill().spill,
      async writeMedia(callId, data, mediaType) {
        kept.push([mediaType, data.length]);
        return `/spill/${callId}.png`;
      },
    };
    const picture = { type: "image" as const, data: "A".repeat(4_000_000), mediaType: "image/png" };
    const tool = { ...Get, run: async () => "", toModel: () => [picture] };
    const { machine } = testMachine([tool], { spill });
    const calls = Array.from({ length: 5 }, (_, n) => ({ id: `c${n}`, tool: "Get", input: { path: `f${n}` } }));
    const outcomes = await createExecutor(machine).run(calls);
    expect(outcomes.filter(({ result }) => result.content[0] === picture)).toHaveLength(3);
    expect(kept).toEqual([
      ["image/png", 4_000_000],
      ["image/png", 4_000_000],
    ]);
    expect(textOf(outcomes[4]!)).toMatch(/image\/png, 3,000,000 bytes, left out: .* It is in \/spill\/c4\.png/);
  });

  it("H13 each picture leaves less room for the text of its batch", async () => {
    const picture = { type: "image" as const, data: "A".repeat(100), mediaType: "image/png" };
    const tool = { ...Get, run: async () => "", toModel: () => [...Array(10).fill(picture), text("x".repeat(90_000))] };
    const { machine } = testMachine([tool], memorySpill());
    const calls = Array.from({ length: 3 }, (_, n) => ({ id: `c${n}`, tool: "Get", input: { path: `f${n}` } }));
    const sizes = (await createExecutor(machine).run(calls)).map((outcome) => textOf(outcome).length);
    expect(sizes.filter((size) => size > 80_000)).toHaveLength(1);
  });
});
