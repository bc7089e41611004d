import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { benches, stateOf } from "../test/support/journal.ts";
import { scriptEnv } from "../test/support/mutations.ts";
import { viewWorks } from "../test/support/view.ts";
import { type CaptureTier, variantsOf } from "./view/tier.ts";

const TIERS: readonly CaptureTier[] = ["view", "clone", "direct"];
const isHere = (tier: CaptureTier): boolean => tier === "direct" || variantsOf(tier).some(viewWorks);
const isRoot = process.geteuid?.() === 0;
const tour = join(import.meta.dirname, "../test/support/journal-tour.ts");
const fresh = benches();

interface Toured {
  readonly tier: CaptureTier;
  readonly output: string;
  readonly changed: boolean;
  readonly undone: readonly string[];
  readonly isBack: boolean;
}

/** A tour in a folder of a file system that only it sees. `undefined`: that file system cannot be had here. */
function tourOn(mount: string, tier: CaptureTier): Toured | undefined {
  const base = mkdtempSync(join(tmpdir(), "haft-tour-"));
  const node = `"$1" --conditions=haft-source "$2" "$0/at" ${tier}`;
  const script = `mkdir "$0/at" "$0/low" "$0/up" "$0/wk"; ${mount.replaceAll("NODE", node)}`;
  try {
    const args = ["--mount", "sh", "-c", script, base, process.execPath, tour];
    const ran = spawnSync("unshare", args, { encoding: "utf8", timeout: Math.ceil(patience(60_000)) });
    if (ran.status === 77) return undefined;
    expect(ran.stderr).toBe("");
    return JSON.parse(ran.stdout) as Toured;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

const TMPFS = 'mount -t tmpfs haft-test "$0/at" || exit 77; NODE';
const OVERLAY = 'mount -t overlay haft-test -o "lowerdir=$0/low,upperdir=$0/up,workdir=$0/wk" "$0/at" || exit 77; NODE';
const READ_ONLY = [
  'mkdir "$0/at/work" "$0/at/state" && echo old > "$0/at/work/a"',
  'mount --bind "$0/at/work" "$0/at/work" && mount -o remount,bind,ro "$0/at/work" || exit 77; NODE ready',
].join("; ");

const BY_ITSELF = [
  'mkdir "$0/at/work" && mount -t tmpfs haft-test "$0/at/work" || exit 77',
  'head -c 2000000 /dev/zero > "$0/at/work/big"; echo old > "$0/at/work/a"; NODE ready "echo more >> big; echo x > a"',
].join("; ");

describe.each(TIERS)("in the tier %s", (tier) => {
  it.skipIf(!isHere(tier) || !isRoot)(
    "W08 a workspace that is a mount of its own has a copy elsewhere, and undo is exact",
    { timeout: patience(60_000) },
    () => {
      const toured = tourOn(BY_ITSELF, tier);
      if (toured) expect(toured).toMatchObject({ tier: "direct", changed: true, output: "", undone: [], isBack: true });
    },
  );

  it.skipIf(!isHere(tier) || !isRoot).each([
    ["tmpfs", TMPFS],
    ["an overlay", OVERLAY],
  ])(
    "L01 a workspace on %s is captured, with odd names, and undo is exact",
    { timeout: patience(60_000) },
    (_, mount) => {
      const toured = tourOn(mount, tier);
      if (toured) expect(toured).toMatchObject({ changed: true, undone: [], isBack: true });
    },
  );

  it.skipIf(!isHere(tier) || !isRoot)(
    "L01 a read-only workspace stays as it is, and somebody says so",
    { timeout: patience(60_000) },
    () => {
      const toured = tourOn(READ_ONLY, tier);
      if (!toured) return;
      expect(toured).toMatchObject({ changed: false, isBack: true });
      expect(toured.output + toured.undone).toMatch(/read-only/i);
    },
  );

  it.skipIf(!isHere(tier) || !isRoot || tier === "direct")(
    "W08 without Perl, the first command that changes a file says what belongs to it is lost",
    { timeout: patience(60_000) },
    () => {
      const toured = tourOn('mount --bind /dev/null "$(command -v perl)" || exit 77; NODE', tier);
      if (toured) expect(toured.output).toMatch(/Not carried over: ACLs and extended attributes.* Perl.*Affected: a/);
    },
  );

  it.skipIf(!isHere(tier))(
    "W03 W08 a file that grows all the while keeps every line",
    { timeout: patience(60_000) },
    async () => {
      const { root, shell, journal } = fresh({ variants: variantsOf(tier) });
      const log = join(root, "log");
      for (const name of ["a", "log"]) writeFileSync(join(root, name), "0\n");
      const writer = spawn("sh", ["-c", 'n=0; while :; do n=$((n+1)); echo $n >> "$0"; done', log], {
        stdio: "ignore",
      });
      try {
        for (const id of ["c1", "c2"]) await shell("echo more >> a", { id });
        const { losses } = await journal.undo({ all: true, force: true });
        for (const { why } of losses) expect(why).not.toContain("too large");
      } finally {
        writer.kill("SIGKILL");
      }
      const lines = readFileSync(log, "utf8").trimEnd().split("\n").map(Number);
      expect(lines).toEqual(lines.map((_, index) => index));
      if (tier !== "direct") expect(readFileSync(join(root, "a"), "utf8")).toBe("0\n");
    },
  );

  it.skipIf(!isHere(tier))("W01 a file of 200 MB comes back", { timeout: patience(120_000) }, async () => {
    const { root, shell, journal } = fresh({ variants: variantsOf(tier) });
    const path = join(root, "big");
    writeFileSync(path, "begin\n");
    truncateSync(path, 200_000_000);
    appendFileSync(path, "end\n");
    await shell("printf X | dd of=big bs=1 seek=100000000 conv=notrunc status=none");
    await shell("rm big", { id: "c2" });
    expect((await journal.undo({ all: true })).losses).toEqual([]);
    expect(statSync(path).size).toBe(200_000_004);
    expect(execFileSync("tr", ["-d", "\\0"], { input: readFileSync(path), encoding: "utf8" })).toBe("begin\nend\n");
  });

  it.skipIf(!isHere(tier))(
    "W01 W08 commits in a submodule and in a nested repository are undone with the rest",
    { timeout: patience(60_000) },
    async () => {
      const { root, base, shell, journal } = fresh({ variants: variantsOf(tier) });
      const git = (at: string, ...args: string[]) =>
        execFileSync("git", ["-C", at, "-c", "protocol.file.allow=always", ...args], {
          stdio: "pipe",
          env: { ...process.env, ...scriptEnv },
        });
      const [nested, other] = [join(root, "nested"), join(base, "other")];
      for (const at of [root, nested, other]) {
        mkdirSync(at, { recursive: true });
        git(at, "init", "-q");
        writeFileSync(join(at, "f"), "one\n");
        git(at, "add", "f");
        git(at, "commit", "-qm", "one");
      }
      git(root, "submodule", "--quiet", "add", other, "sub");
      git(root, "commit", "-qm", "sub");
      const before = stateOf(root, isIndex);
      const commit = (at: string) => `cd ${root}/${at}; echo two >> f; git commit -qam two`;
      await shell(["nested", "sub", "."].map(commit).join("; "), {}, { env: scriptEnv });
      for (const at of ["nested", "sub", "."])
        expect(`${git(join(root, at), "log", "-1", "--format=%s")}`, at).toBe("two\n");
      expect((await journal.undo()).losses).toEqual([]);
      expect(stateOf(root, isIndex)).toBe(before);
      for (const at of ["nested", "sub", "."]) git(join(root, at), "fsck", "--strict");
      expect(`${git(root, "status", "--porcelain", "--ignore-submodules=none")}`).toBe("?? nested/\n");
    },
  );

  it.skipIf(!isHere(tier))(
    "W02 two hosts in one folder run commands at once, and each call is undone by itself",
    { tags: ["smoke"], timeout: patience(60_000) },
    async () => {
      const one = fresh({ variants: variantsOf(tier) });
      const two = fresh({ variants: variantsOf(tier) }, one.root);
      for (const name of ["a", "b"]) writeFileSync(join(one.root, name), `old ${name}\n`);
      const before = stateOf(one.root);
      await Promise.all([
        one.shell("echo by one >> a; sleep 0.3"),
        two.shell("echo by two >> b; sleep 0.3", { session: "s2" }),
      ]);
      expect(readFileSync(join(one.root, "a"), "utf8")).toBe("old a\nby one\n");
      expect(readFileSync(join(one.root, "b"), "utf8")).toBe("old b\nby two\n");
      await two.journal.undo({ call: "c1", force: true });
      if (tier === "direct") return;
      expect(readFileSync(join(one.root, "a"), "utf8")).toBe("old a\nby one\n");
      await one.journal.undo();
      expect(stateOf(one.root)).toBe(before);
    },
  );
});

/** A repository's index contains times, which git writes anew. */
const isIndex = (path: string): boolean => path.endsWith("/index");
