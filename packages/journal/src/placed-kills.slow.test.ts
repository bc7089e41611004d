import { lstatSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { benches } from "../test/support/journal.ts";
import { CHANGING_CALLS, canTrace, faultAt } from "../test/support/placed-fault.ts";
import { stateIn, withHeldTypeChanges } from "../test/support/type-changes.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_PLACED=20` is the full size: the first so many calls of each kind. */
const CALLS = Number(process.env.HAFT_PLACED ?? 2);
const committer = join(import.meta.dirname, "../test/support/journal-committer.ts");
const fresh = benches();
let kills = 0;
afterAll(() => {
  if (process.env.HAFT_PLACED) process.stderr.write(`Placed kills: ${kills}\n`);
});

/** Kills a process that applies the changes, or one that takes them back. */
async function killAt(call: string, when: number, work: "a commit" | "an undo" = "a commit"): Promise<boolean> {
  const { root, folder, held, before, reopen, journal: own } = await withHeldTypeChanges(fresh());
  if (work === "an undo") await own.commitHeld(held);
  const args = [root, folder, work === "an undo" ? "" : held];
  const { wasHit, stderr } = await faultAt("kill", { script: committer, args, call, when });
  if (!wasHit) expect(stderr).toBe("");
  const journal = reopen();
  // A change that had begun is completed; the others stay held.
  const left = await journal.held();
  const undone = await journal.undo({ all: true }).catch(({ code }: { code: string }) => code);
  const where = `${call} ${when}`;
  if (undone !== "validation_failed") {
    expect(undone, where).toMatchObject({ losses: [], kept: [] });
    expect(left, where).toEqual([]);
  } else expect(left.length, where).toBe(work === "an undo" ? 0 : 1);
  expect(stateIn(root), where).toBe(before);
  expect(new Set(["h1", "h2", "h3"].map((name) => lstatSync(join(root, name)).ino)).size, where).toBe(1);
  if (wasHit) kills += 1;
  return wasHit;
}

describe.skipIf(!canTrace || !viewWorks("user"))("work that is killed at one system call", () => {
  it("L01 F30 a commit loses no path whose type it changes", {
    tags: ["smoke"],
    timeout: patience(30_000),
  }, async () => {
    expect(await killAt("mkdir", 1)).toBe(true);
  });

  it("L01 F30 an undo loses no path whose type it changes", {
    tags: ["smoke"],
    timeout: patience(30_000),
  }, async () => {
    expect(await killAt("rename", 2, "an undo")).toBe(true);
  });

  it.each(CHANGING_CALLS.flatMap((call) => [["a commit", call] as const, ["an undo", call] as const]))(
    "L01 %s that is killed at %s loses no path, and says nothing else",
    { timeout: patience(60_000 + CALLS * 30_000) },
    async (work, call) => {
      for (let when = 1; when <= CALLS; when++) if (!(await killAt(call, when, work))) break;
    },
  );
});
