import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { benches } from "../test/support/journal.ts";
import { CHANGING_CALLS, canTrace, faultAt } from "../test/support/placed-fault.ts";
import { stateIn, withHeldTypeChanges } from "../test/support/type-changes.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_PLACED=20` is the full size: the first so many calls of each kind. */
const CALLS = Number(process.env.HAFT_PLACED ?? 1);
const committer = join(import.meta.dirname, "../test/support/journal-committer.ts");
const fresh = benches();

/** Lets one system call of a process fail that applies the changes, or takes them back. Returns whether it came to that call. */
async function failAt(call: string, when: number, work: "a commit" | "an undo"): Promise<boolean> {
  const { root, folder, held, before, reopen, journal: own } = await withHeldTypeChanges(fresh());
  if (work === "an undo") await own.commitHeld(held);
  const args = [root, folder, work === "an undo" ? "" : held];
  const { wasHit } = await faultAt("error", { script: committer, args, call, when });
  const journal = reopen();
  const where = `${call} ${when}`;
  // Every other time, the rest of the changes is applied first.
  const [left] = when % 2 === 1 ? await journal.held() : [];
  if (left) expect(await journal.commitHeld(left.id), where).toMatchObject({ kept: [], losses: [] });
  const undone = await journal.undo({ all: true }).catch(({ code }: { code: string }) => code);
  if (undone !== "validation_failed") expect(undone, where).toMatchObject({ losses: [], kept: [] });
  expect(stateIn(root), where).toBe(before);
  return wasHit;
}

describe.skipIf(!canTrace || !viewWorks("user"))("a disk that fails once", () => {
  it("L01 W08 at the mode of a new folder, leaves nothing that the next undo does not take back", {
    tags: ["smoke"],
    timeout: patience(30_000),
  }, async () => {
    expect(await failAt("chmod", 2, "an undo")).toBe(true);
  });

  it.each(CHANGING_CALLS.flatMap((call) => [["a commit", call] as const, ["an undo", call] as const]))(
    "L01 W08 in %s, at %s, leaves nothing that the next undo does not take back",
    { timeout: patience(60_000 + CALLS * 30_000) },
    async (work, call) => {
      expect(await failAt(call, 1, work)).toBe(true);
      for (let when = 2; when <= CALLS; when++) if (!(await failAt(call, when, work))) break;
    },
  );
});
