import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benches, callOf, stateOf } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";

/** KiB between two fillings of the disk; `HAFT_DISK_STEP=4` is the full size: every page. */
const STEP = process.env.HAFT_DISK_STEP ?? "16";
const harness = (name: string) => join(import.meta.dirname, "../test/support", name);

const fresh = benches();

/** A program with a small file system of its own at a folder, which nobody else sees; `undefined` where that cannot be had. */
function withSmallDisk(program: readonly string[]): string | undefined {
  const place = mkdtempSync(join(tmpdir(), "haft-disk-"));
  const asUser = process.geteuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const script = 'mount -t tmpfs -o size=2m haft-test "$0" || exit 77; exec "$@"';
  const [name = "", ...args] = program;
  try {
    const options = { encoding: "utf8", timeout: 150_000 } as const;
    return execFileSync("unshare", [...asUser, "--mount", "sh", "-c", script, place, name, ...args, place], options);
  } catch (thrown) {
    if ((thrown as { status?: number }).status === 77) return undefined;
    throw thrown;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe("a journal on a full disk", () => {
  it.each([
    ["full-disk.ts", "100", "leaves every file old or new at every step, and undo works as soon as there is room"],
    [
      "full-disk-merge.ts",
      "64",
      "in the middle of a merge leaves every file old or new, and loses nothing of the agents",
    ],
  ])("W07 S01 %s up to %s KiB: it %s", { timeout: 160_000 }, (name, most) => {
    const node = [process.execPath, "--conditions=haft-source", "--disable-warning=ExperimentalWarning"];
    const said = withSmallDisk([...node, harness(name), STEP, "0", most]);
    if (said === undefined)
      return void process.stderr.write("No tmpfs can be mounted here: the full disk is not tried.\n");
    const lines = said
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ what }) => what !== undefined)).toEqual([]);
    // It was full often enough for this to mean something.
    expect(lines.at(-1).done.no_space).toBeGreaterThan(3);
  });
});

/** The errors of a broken disk. */
const broken = () => Object.assign(new Error("EIO: i/o error"), { code: "EIO" });

describe("a journal over a port that fails", { tags: ["smoke"] }, () => {
  it.each(["before anything", "after a folder", "after the file"] as const)(
    "W07 a write that fails %s leaves what is there, and undo takes back what was done of it",
    async (when) => {
      const { journal, root, reopen } = fresh();
      writeFileSync(join(root, "a"), "old");
      const before = stateOf(root);
      const path = when === "after a folder" ? join(root, "new/folder/b") : join(root, "a");
      const act = async () => {
        if (when === "after a folder") mkdirSync(join(root, "new/folder"), { recursive: true });
        if (when === "after the file") writeFileSync(path, "new");
        throw broken();
      };
      await expect(journal.change(callOf(), { path, data: "new" }, act)).rejects.toMatchObject({ code: "EIO" });
      const again = reopen();
      if (when === "before anything") expect(again.history().entries.map(({ state }) => state)).toEqual(["dropped"]);
      else await again.undo();
      expect(stateOf(root)).toBe(before);
    },
  );

  it.skipIf(!viewWorks("user"))("W07 a command whose host fails after it wrote has changed nothing", async () => {
    const { journal, root, shell } = fresh();
    writeFileSync(join(root, "a"), "old");
    const run = async () => {
      throw broken();
    };
    await expect(journal.command(callOf(), { command: "x", cwd: root }, run)).rejects.toMatchObject({
      code: "execution_failed",
      message: expect.stringContaining("the disk reports errors"),
      hint: expect.stringMatching(/^Check the disk/),
    });
    expect(stateOf(root)).toBe("/a file 644 old");
    await shell("echo new > a");
    await journal.undo();
    expect(stateOf(root)).toBe("/a file 644 old");
  });

  it("W08 old content that cannot be read is no undo: that is an error, and the call can be undone afterwards", async () => {
    const { journal, root, folder: state, reopen } = fresh();
    writeFileSync(join(root, "a"), "old");
    await journal.change(callOf(), { path: join(root, "a"), data: "new" }, async () => {
      writeFileSync(join(root, "a"), "new");
    });
    const kept = readdirSync(state, { recursive: true, encoding: "utf8" }).find((name) => /[0-9a-f]{64}$/.test(name))!;
    renameSync(join(state, kept), join(state, "aside"));
    mkdirSync(join(state, kept));
    await expect(journal.undo()).rejects.toMatchObject({
      code: "execution_failed",
      message: expect.stringMatching(/^Nothing was undone:\n- .*EISDIR/),
      hint: expect.stringContaining("No file was changed"),
    });
    expect(stateOf(root)).toBe("/a file 644 new");
    rmSync(join(state, kept), { recursive: true });
    renameSync(join(state, "aside"), join(state, kept));
    await reopen().undo();
    expect(stateOf(root)).toBe("/a file 644 old");
  });
});
