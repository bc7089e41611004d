import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { viewWorks } from "../test/support/view.ts";

const tour = join(import.meta.dirname, "../test/support/journal-tour.ts");
const SOMEBODY = 54_321;
const PLAIN = [`--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups"];
const canBecome = process.getuid?.() === 0 && spawnSync("setpriv", [...PLAIN, "unshare", "-Urm", "true"]).status === 0;

interface Toured {
  readonly output: string;
  readonly owner: number;
  readonly undone: readonly string[];
  readonly isBack: boolean;
}

/** A user's command in a folder in which root owns the file `a`, and its undo. */
function touredBy(tier: string, mode: number, command: string): Toured & { readonly finalOwner: number } {
  const base = mkdtempSync(join(tmpdir(), "haft-owner-"));
  try {
    const work = join(base, "work");
    mkdirSync(work);
    for (const path of [base, work]) chownSync(path, SOMEBODY, SOMEBODY);
    writeFileSync(join(work, "a"), "root's\n");
    chmodSync(join(work, "a"), mode);
    const node = [process.execPath, "--conditions=haft-source", tour, base, tier, "ready", command];
    const ran = spawnSync("setpriv", [...PLAIN, ...node], { encoding: "utf8", timeout: Math.ceil(patience(60_000)) });
    expect(ran.stderr).toBe("");
    return { ...(JSON.parse(ran.stdout) as Toured), finalOwner: statSync(join(work, "a")).uid };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

const tiers = ["direct", ...(viewWorks("user-clone") ? ["clone"] : [])];

describe.skipIf(!canBecome)("a file of root in a folder of a user", () => {
  it.each(tiers)(
    "W01 is still root's after a command in the tier %s, and after its undo",
    { tags: ["smoke"] },
    (tier) => {
      const toured = touredBy(tier, 0o666, "echo more >> a");
      expect(toured).toMatchObject({ output: "", owner: 0, undone: [], isBack: true, finalOwner: 0 });
    },
  );

  it.each(tiers)("W08 that a command in the tier %s replaces comes back as the user's, and undo says so", (tier) => {
    const toured = touredBy(tier, 0o644, "rm a; echo new > a");
    expect(toured).toMatchObject({ owner: SOMEBODY, isBack: true });
    expect(toured).toMatchObject({ finalOwner: SOMEBODY, undone: [expect.stringMatching(/a: Its owner was user 0/)] });
  });

  it.skipIf(!tiers.includes("clone"))("W08 is not changed in the tier clone if the user may not write to it", () => {
    const toured = touredBy("clone", 0o644, "echo more >> a");
    expect(toured.output).toMatch(/Not applied: a\. This user may not change it\./);
    expect(toured).toMatchObject({ owner: 0, isBack: true, finalOwner: 0 });
  });

  it("W08 a file that the user may not read does not keep the rest of a direct command from undo", () => {
    const { output, undone } = touredBy("direct", 0o600, "echo x > n; chmod 0 n; echo y > m");
    expect(output).toMatch(/Not undoable: n\. This user may not read it/);
    expect(undone).toEqual([expect.stringMatching(/n: This user may not read it, so undo leaves it\./)]);
  });

  it.skipIf(!tiers.includes("clone"))(
    "W08 that the user may not read is missing in the copy, and the result says so",
    () => {
      expect(touredBy("clone", 0o600, "echo y > m")).toMatchObject({
        output: expect.stringMatching(/lacks a: this user/),
      });
    },
  );

  it.skipIf(!viewWorks("user"))(
    "W08 that the user may not read is not removed in a view, and the result says so",
    () => {
      const toured = touredBy("view", 0o600, "rm -f a; echo y > m");
      expect(toured.output).toMatch(/Not applied: a\. It could not be read\. So it was not removed\./);
      expect(toured).toMatchObject({ owner: 0, undone: [], isBack: true });
    },
  );
});
