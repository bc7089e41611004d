import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, stateOf } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";

let added: string;
beforeEach(() => {
  added = realpathSync(mkdtempSync(join(tmpdir(), "haft-added-")));
});
afterEach(() => rmSync(added, { recursive: true, force: true }));

describe.skipIf(!viewWorks("user"))("folders beside the workspace", () => {
  it("W01 a command's change in an added folder is recorded and undone with the rest of it", async () => {
    const bench = createBench({ additional: () => [added, join(bench.root, "inner")] });
    const { root, shell, journal } = bench;
    try {
      for (const folder of [root, added]) writeFileSync(join(folder, "a"), "old");
      writeFileSync(join(added, "gone"), "precious");
      mkdirSync(join(root, "inner"));
      const before = [stateOf(root), stateOf(added)];
      const { output } = await shell(
        `echo new > a; echo new > ${added}/a; rm ${added}/gone; mkdir ${added}/d; echo x > inner/x`,
      );
      expect(output).toBe("");
      const after = [stateOf(root), stateOf(added)];
      expect(after[1]).toBe("/a file 644 new\n\n/d folder 755");
      const undone = await journal.undo();
      expect(undone).toMatchObject({ losses: [], kept: [], calls: [{ id: "c1" }] });
      expect([stateOf(root), stateOf(added)]).toEqual(before);
      await journal.redo();
      expect([stateOf(root), stateOf(added)]).toEqual(after);
    } finally {
      bench.close();
    }
  });
});
