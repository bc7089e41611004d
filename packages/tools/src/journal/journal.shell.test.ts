import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBench, stateOf } from "../../test/support/journal.ts";
import { makeRepository, script, scriptEnv } from "../../test/support/mutations.ts";
import { viewWorks } from "../../test/support/view.ts";

/** `HAFT_UNDO_SCRIPTS=300` is the full size. */
const RUNS = Number(process.env.HAFT_UNDO_SCRIPTS ?? 30);
const whole = stateOf;

describe.each(["root", "user"] as const)("undo of commands in a view mounted as %s", (variant) => {
  it.skipIf(!viewWorks(variant))(
    "undo after any script of commands and writes is identity; redo is what they did",
    { timeout: 20_000 + RUNS * 2_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (scripts) => {
          const bench = createBench({ variants: [variant] });
          try {
            makeRepository(bench.root);
            const before = whole(bench.root);
            for (const [index, command] of scripts.entries()) {
              await bench.shell(command, { id: `c${index}` }, { env: scriptEnv });
              if (index === 1) await bench.write("written/by/tool", "text\n", { id: "w1" }).catch(() => undefined);
            }
            const after = whole(bench.root);
            if (bench.journal.history().entries.every(({ state }) => state === "dropped")) {
              expect(after).toBe(before);
              return;
            }
            const { losses, kept } = await bench.journal.undo({ all: true });
            expect({ losses, kept }).toEqual({ losses: [], kept: [] });
            expect(whole(bench.root)).toBe(before);
            await bench.journal.redo();
            expect(whole(bench.root)).toBe(after);
          } finally {
            bench.close();
          }
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    },
  );
});

