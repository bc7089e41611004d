import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { createBench, stateOf } from "../test/support/journal.ts";
import { makeRepository, script, scriptEnv } from "../test/support/mutations.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_UNDO_SCRIPTS=300` is the full size. */
const RUNS = Number(process.env.HAFT_UNDO_SCRIPTS ?? runs(30));

/**
 * The state that must be the same with and without a view. It leaves out git's notes about inodes and times. By those, git
 * decides whether to write a file anew, which gives it the usual mode.
 */
const likeness = (folder: string) =>
  stateOf(folder, (path) => path.endsWith("/.git/index")).replace(/ file (?:444|600|644) /g, " file ");

describe.each(["root", "user", "user-clone"] as const)("undo of commands in a view mounted as %s", (variant) => {
  it.skipIf(!viewWorks(variant))(
    "a script does in it what it does without; undo after it is identity, redo is what it did",
    { tags: ["smoke"], timeout: 20_000 + RUNS * 2_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (scripts) => {
          const bench = createBench({ variants: [variant] });
          const plain = createBench({ variants: [] });
          try {
            makeRepository(bench.root);
            makeRepository(plain.root);
            const before = stateOf(bench.root);
            for (const [index, command] of scripts.entries()) {
              await bench.shell(command, { id: `c${index}` }, { env: scriptEnv });
              await plain.plainly(command, scriptEnv);
              if (index !== 1) continue;
              await Promise.all([bench, plain].map((one) => one.write("by/tool", "text\n").catch(() => undefined)));
            }
            const after = stateOf(bench.root);
            // A view splits the names of a file that is changed in it (docs/undo.md); undo holds all the same.
            const hasHardLinks = scripts.some((command) => command.includes("ln -f "));
            if (!hasHardLinks) expect(likeness(bench.root)).toBe(likeness(plain.root));
            if (bench.journal.history().entries.every(({ state }) => state === "dropped")) {
              expect(after).toBe(before);
              return;
            }
            const { losses, kept } = await bench.journal.undo({ all: true });
            expect({ losses, kept }).toEqual({ losses: [], kept: [] });
            expect(stateOf(bench.root)).toBe(before);
            await bench.journal.redo();
            expect(stateOf(bench.root)).toBe(after);
          } finally {
            bench.close();
            plain.close();
          }
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    },
  );
});
