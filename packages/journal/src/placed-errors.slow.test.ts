import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { benches, stateOf } from "../test/support/journal.ts";
import { CHANGING_CALLS } from "../test/support/placed-kill.ts";
import { withHeldTypeChanges } from "../test/support/type-changes.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_PLACED=20` is the full size: the first so many calls of each kind. */
const CALLS = Number(process.env.HAFT_PLACED ?? 3);
const committer = join(import.meta.dirname, "../test/support/journal-committer.ts");
const canTrace = spawnSync("strace", ["-V"]).status === 0 && viewWorks("user");
const fresh = benches();

/** Lets one system call of a process fail that applies the changes, or takes them back. Returns whether it came to that call. */
async function failAt(call: string, when: number, work: "a commit" | "an undo"): Promise<boolean> {
  const { root, folder, held, before, reopen, journal: own } = await withHeldTypeChanges(fresh());
  if (work === "an undo") await own.commitHeld(held);
  const what = ["-f", "--seccomp-bpf", "-e", `trace=${call}`, "-e", `inject=${call}:error=EIO:when=${when}`];
  const node = [process.execPath, "--conditions=haft-source", committer, root, folder, work === "an undo" ? "" : held];
  const { stderr } = spawnSync("strace", [...what, ...node], { encoding: "utf8", timeout: 60_000 });
  const journal = reopen();
  const where = `${call} ${when}`;
  const undone = await journal.undo({ all: true }).catch(({ code }: { code: string }) => code);
  if (undone !== "validation_failed") expect(undone, where).toMatchObject({ losses: [], kept: [] });
  expect(stateOf(root), where).toBe(before);
  return stderr.includes("(INJECTED)");
}

describe.skipIf(!canTrace)("a disk that fails once", () => {
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
