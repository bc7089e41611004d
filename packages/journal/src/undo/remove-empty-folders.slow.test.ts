import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { type Bench, benches, createBench, stateOf } from "../../test/support/journal.ts";

const fresh = benches();

const PATHS = ["d/a", "d/b", "d/e/c", "d/e/f/g", "h/i"];

describe("folders of calls that are undone", () => {
  it("W02 calls that are undone in any order, or made at once, leave no folder behind, and none is missed", async () => {
    const order = fc.record({
      made: fc.shuffledSubarray(PATHS, { minLength: 1 }),
      atOnce: fc.boolean(),
      undone: fc.shuffledSubarray([...PATHS.keys()], { minLength: PATHS.length }),
      again: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(order, async ({ made, atOnce, undone, again }) => {
        using bench = closing(createBench());
        const { root, write, journal } = bench;
        const before = stateOf(root);
        const writing = made.map((path, index) => () => write(path, path, { id: `c${index}` }));
        if (atOnce) await Promise.all(writing.map((start) => start()));
        else for (const start of writing) await start();
        const after = stateOf(root);
        for (const [count, index] of undone.filter((one) => one < made.length).entries()) {
          const { kept, losses } = await journal.undo({ call: `c${index}` });
          expect([kept, losses]).toEqual([[], []]);
          // Done again and undone again it is as it was.
          if (count !== again) continue;
          const without = stateOf(root);
          await journal.redo();
          await journal.undo({ call: `c${index}` });
          expect(stateOf(root)).toBe(without);
        }
        expect(stateOf(root)).toBe(before);
        for (const _ of made) await journal.redo();
        expect(stateOf(root)).toBe(after);
        await journal.undo({ all: true });
        expect(stateOf(root)).toBe(before);
      }),
      { numRuns: 20 },
    );
  });

  it("W02 one that holds what a person put there is told, stays, and keeps nobody from undoing what came before", {
    tags: ["smoke"],
  }, async () => {
    const { root, write, journal } = fresh();
    await write("first", "1", { id: "c1" });
    await write("made/deep/a", "1", { id: "c2" });
    writeFileSync(join(root, "made/deep/theirs"), "mine");
    const plan = await journal.planUndo();
    expect(plan.losses).toMatchObject([{ path: join(root, "made/deep") }]);
    expect((await journal.undo()).losses).toEqual(plan.losses);
    expect(await journal.undo()).toMatchObject({ calls: [{ id: "c1" }], losses: [] });
    expect(stateOf(root)).toBe("/made folder 755\n/made/deep folder 755\n/made/deep/theirs file 644 mine");
  });

  it("W02 one that a person made anew does not go with what was put there later", async () => {
    const { root, write, journal } = fresh();
    await write("d/a", "1", { id: "c1" });
    await write("d/b", "1", { id: "c2" });
    await journal.undo({ call: "c1" });
    rmSync(join(root, "d"), { recursive: true });
    mkdirSync(join(root, "d"));
    await write("d/c", "1", { id: "c3" });
    await journal.undo();
    expect(stateOf(root)).toBe("/d folder 755");
  });

  it("W01 a folder that a command made goes with the last file of other calls", async () => {
    const { root, shell, write, journal } = fresh();
    await shell("mkdir -p out/deep; echo 1 > out/log", { id: "c1" });
    await write("out/deep/a", "1", { id: "c2" });
    expect(await journal.undo({ call: "c1" })).toMatchObject({
      losses: [],
      changed: [{ path: join(root, "out/log") }],
    });
    await journal.undo();
    expect(readdirSync(root)).toEqual([]);
    await journal.redo();
    expect(readdirSync(join(root, "out"))).toEqual(["deep"]);
  });
});

const closing = (bench: Bench): Bench & Disposable => ({ ...bench, [Symbol.dispose]: bench.close });
