import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type Files, HaftError } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { stateOf } from "../../../../journal/test/support/journal.ts";
import { createWorld, failure } from "../../../test/support/context.ts";
import { applyPatch } from "./apply-patch.ts";

const START = ["a", "b", "d/c"];
const FOLDERS = ["", "d/", "new/", "new/er/", "n2/x/y/"];

/** Sections over different files: those that are there are changed, moved or deleted, others are added. */
const section = fc.record({ folder: fc.constantFrom(...FOLDERS), name: fc.nat(9) });
const wish = fc.record({
  added: fc.uniqueArray(section, { minLength: 1, maxLength: 5, selector: ({ folder, name }) => folder + name }),
  kept: fc.shuffledSubarray(START),
  fate: fc.constantFrom("change", "move", "delete"),
});

function patchOf({ added, kept, fate }: typeof wish extends fc.Arbitrary<infer W> ? W : never): string {
  const sections = kept.map((path) => {
    if (fate === "delete") return `*** Delete File: ${path}`;
    const move = fate === "move" ? `\n*** Move to: moved/${path}` : "";
    return `*** Update File: ${path}${move}\n@@\n-old\n+new`;
  });
  const additions = added.map(({ folder, name }) => `*** Add File: ${folder}f${name}\n+added`);
  return ["*** Begin Patch", ...sections, ...additions, "*** End Patch"].join("\n");
}

const FAULTS = { EIO: "execution_failed", ENOSPC: "no_space" } as const;

/** The files of this machine, on a disk that refuses one step and none after it. */
function refusingOnce(files: Files, at: number, name: keyof typeof FAULTS): Partial<Files> & { steps(): number } {
  let count = 0;
  const step = async () => {
    if (++count === at) throw new HaftError({ code: FAULTS[name], message: `${name}.`, hint: "Look at the disk." });
  };
  return {
    steps: () => count,
    write: (...args) => step().then(() => files.write(...args)),
    remove: (...args) => step().then(() => files.remove(...args)),
  };
}

describe("apply_patch on a disk that refuses a step", () => {
  it("K07 leaves the tree as it was, be it whichever step: no file, no folder, no mode is another", async () => {
    await fc.assert(
      fc.asyncProperty(wish, fc.constantFrom("EIO", "ENOSPC"), async (wished, name) => {
        const input = { input: patchOf(wished) };
        let isDone = false;
        for (let at = 1; !isDone; at++) {
          const world = await createWorld();
          try {
            mkdirSync(`${world.folder}/d`);
            for (const path of START) writeFileSync(`${world.folder}/${path}`, "old\n");
            chmodSync(`${world.folder}/a`, 0o750);
            const before = stateOf(world.folder);
            const disk = refusingOnce({ ...world.ports.files }, at, name);
            Object.assign(world.ports.files, disk);
            const thrown = await world.use(applyPatch, input).then(
              () => undefined,
              (error: unknown) => error,
            );
            isDone = disk.steps() < at;
            expect(thrown === undefined).toBe(isDone);
            if (thrown)
              expect(thrown).toMatchObject({ code: FAULTS[name], message: expect.stringContaining("was reverted") });
            expect(stateOf(world.folder) === before).toBe(!isDone);
          } finally {
            await world.close();
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it("K07 a folder stays that was there before, and one into which somebody else has put something", {
    tags: ["smoke"],
  }, async () => {
    const world = await createWorld();
    try {
      mkdirSync(`${world.folder}/empty`);
      const { write } = world.ports.files;
      let count = 0;
      Object.assign(world.ports.files, {
        write: async (...args: Parameters<Files["write"]>) => {
          if (++count < 3) return write(...args);
          writeFileSync(`${world.folder}/new/theirs`, "");
          throw new HaftError({ code: "no_space", message: "ENOSPC." });
        },
      });
      const added = ["empty/a", "new/b/c", "d"].map((path) => `*** Add File: ${path}\n+x`).join("\n");
      await failure(world.use(applyPatch, { input: `*** Begin Patch\n${added}\n*** End Patch` }));
      expect(stateOf(world.folder)).toBe("/empty folder 755\n/new folder 755\n/new/theirs file 644 ");
    } finally {
      await world.close();
    }
  });
});
