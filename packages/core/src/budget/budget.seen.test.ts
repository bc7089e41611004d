import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testMachine } from "../../test/support/machine.ts";
import { Get } from "../../test/support/tools.ts";
import { createExecutor } from "../executor/index.ts";
import { type CallContext, type LineRange, type SeenFile, seenAfter } from "../tool/index.ts";

const HASH = "a".repeat(64);

/** A call of a tool that says it shows all of a file, and gives `size` characters. */
async function knownAfter(size: number, changes: { readonly path?: string } = {}) {
  const seen = new Map<string, SeenFile>();
  const tool = {
    ...Get,
    limits: { resultChars: 100 },
    run: async (_: unknown, { ports }: CallContext) => {
      await ports.files.show(changes.path ?? "/w/f", { hash: HASH });
      return "x".repeat(size);
    },
  };
  const { machine } = testMachine([tool], { seen });
  const [outcome] = await createExecutor(machine).run([{ id: "c", tool: "Get", input: { path: "/w/f" } }]);
  return { seen, error: outcome?.result.error };
}

describe("the model's record of a read file", () => {
  it("K04 counts when the result reaches it whole, and not when it was cut", async () => {
    expect([...(await knownAfter(100)).seen]).toEqual([["/w/f", { hash: HASH, whole: true }]]);
    expect((await knownAfter(101)).seen.size).toBe(0);
  });

  it("K04 a call can show only files that it may read or write", async () => {
    const { seen, error } = await knownAfter(10, { path: "/w/other" });
    expect([seen.size, error?.code]).toEqual([0, "undeclared_effect"]);
  });

  it("K04 passages add up in any order, and are the whole exactly when nothing is missing", () => {
    const range = fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.nat(6))
      .map(([from, more]): LineRange => [from, from + more]);
    fc.assert(
      fc.property(fc.array(fc.array(range, { maxLength: 3 }), { maxLength: 5 }), (views) => {
        const total = 12;
        let seen: SeenFile | undefined;
        for (const lines of views) seen = seenAfter(seen, { hash: HASH, lines, total });
        const known = new Set(
          views.flat().flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
        );
        const isWhole = Array.from({ length: total }, (_, index) => index + 1).every((line) => known.has(line));
        expect(seen?.whole ?? false).toBe(isWhole);
        if (seen?.lines)
          expect(new Set(seen.lines.flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, n) => a + n)))).toEqual(
            known,
          );
      }),
    );
  });

  it("K04 another content makes the record of the old one worthless", () => {
    const whole = seenAfter(undefined, { hash: HASH });
    expect(seenAfter(whole, { hash: "b", lines: [[1, 2]], total: 9 })).toEqual({
      hash: "b",
      whole: false,
      lines: [[1, 2]],
    });
    expect(seenAfter(whole, { hash: HASH, lines: [] })).toEqual({ hash: HASH, whole: true });
    expect(seenAfter(undefined, { hash: HASH, lines: [], total: 0 }).whole).toBe(true);
  });
});
