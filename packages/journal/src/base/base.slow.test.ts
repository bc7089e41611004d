import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { residentProgram } from "@haft/host/files";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { hasBelongings } from "../../test/support/belongings.ts";
import { benches, createBench, stateOf } from "../../test/support/journal.ts";
import { makeRepository, script, scriptEnv } from "../../test/support/mutations.ts";
import { canTrace } from "../../test/support/placed-fault.ts";
import { viewWorks } from "../../test/support/view.ts";
import { toSystem } from "../image/raw-path.ts";
import { openBase } from "./base.ts";

const fresh = benches();

/** An index that stages the same is the same: git writes it anew whenever it looks at the files. */
const withoutIndex = (folder: string) => stateOf(folder, (path) => path.endsWith("/.git/index"));

/** Whether a file can be made immutable here. */
function canChangeFlags(): boolean {
  const { base } = fresh();
  return ["+i", "-i"].every((flag) => spawnSync("chattr", [flag, base]).status === 0);
}

function opened() {
  const { base, root } = fresh();
  mkdirSync(join(root, "d/e"), { recursive: true });
  for (const name of ["a", "b", "d/c", "d/e/f"]) writeFileSync(join(root, name), `${name}\n`);
  symlinkSync("a", join(root, "l"));
  const isOwn = (path: string) => path === join(root, "own");
  const options = { folder: join(base, "copy"), root, isOwn, shell: residentProgram("/bin/sh", []) };
  return { root, options, base: openBase(options) };
}

describe("a copy of a workspace", () => {
  it("is made once, and later only what changed is copied", { tags: ["smoke"] }, async () => {
    const { root, base, options } = opened();
    mkdirSync(join(root, "own"));
    writeFileSync(join(root, "own/state"), "of Haft");
    expect(await base.refresh()).toMatchObject({ entries: 7 });
    rmSync(join(root, "own"), { recursive: true });
    expect(stateOf(base.tree)).toBe(stateOf(root));
    expect(await openBase(options).refresh()).toMatchObject({ copied: 0 });
    writeFileSync(join(root, "d/c"), "other\n");
    renameSync(join(root, "d/e"), join(root, "g"));
    rmSync(join(root, "b"));
    mkdirSync(join(root, "b"));
    expect(await openBase(options).refresh()).toMatchObject({ copied: 3 });
    expect(stateOf(base.tree)).toBe(stateOf(root));
  });

  it("has nothing of a skipped folder, also inside a folder that is new to it", async () => {
    const { root, options } = opened();
    mkdirSync(join(root, "pack/node_modules/dep"), { recursive: true });
    for (const name of ["pack/own", "pack/node_modules/dep/x"]) writeFileSync(join(root, name), "");
    const base = openBase({ ...options, isOwn: (path) => path === join(root, "pack/node_modules") });
    expect(await base.refresh()).toMatchObject({ isSame: false });
    expect(readdirSync(join(base.tree, "pack"))).toEqual(["own"]);
    expect(await openBase(options).refresh()).toMatchObject({ copied: 1 });
    expect(stateOf(base.tree)).toBe(stateOf(root));
  });

  it("is made of a folder whose name means something to a shell", async () => {
    const { options } = opened();
    const root = join(options.root, "it's $(touch made) `id`\n&; \udcff");
    mkdirSync(toSystem(root));
    writeFileSync(toSystem(`${root}/it's`), "1");
    const base = openBase({ ...options, folder: `${options.folder}'"\n$HOME`, root });
    expect(await base.refresh()).toMatchObject({ copied: 1 });
    expect(readFileSync(join(base.tree, "it's"), "utf8")).toBe("1");
    expect(readdirSync(options.root).sort()).toEqual(["a", "b", "d", basename(root).toWellFormed(), "l"]);
  });

  it("is cleaned after a kill in the middle of a command", async () => {
    const { root, base, options } = opened();
    await base.refresh({ isForCommand: true });
    writeFileSync(join(base.tree, "a"), "by a killed command\n");
    writeFileSync(join(base.tree, "made"), "");
    rmSync(join(base.tree, "d"), { recursive: true });
    await openBase(options).refresh();
    expect(stateOf(base.tree)).toBe(stateOf(root));
  });

  it.skipIf(!canTrace || !hasBelongings)(
    "W08 lacks a file whose attributes could not be copied, and says so",
    async () => {
      const { root, base, options } = opened();
      execFileSync("setfattr", ["-n", "user.k", "-v", "v", join(root, "a")]);
      const fault = [
        "-f",
        "-o",
        "/dev/null",
        "-e",
        "trace=fsetxattr",
        "-e",
        "inject=fsetxattr:error=ENOSPC",
        "/bin/sh",
      ];
      const failing = openBase({ ...options, shell: residentProgram("strace", fault) });
      expect(await failing.refresh()).toMatchObject({ missing: [join(root, "a")] });
      expect(readdirSync(base.tree).sort()).toEqual(["b", "d", "l"]);
      expect(await openBase(options).refresh()).toMatchObject({ missing: [], copied: 1 });
      expect(stateOf(base.tree)).toBe(stateOf(root));
    },
  );

  it("is copied again when its index is lost, and never written through a hard link of the workspace", async () => {
    const { root, base, options } = opened();
    linkSync(join(root, "a"), join(root, "a2"));
    await base.refresh();
    writeFileSync(join(options.folder, "index"), "torn");
    const again = openBase(options);
    await again.refresh();
    writeFileSync(join(again.tree, "a"), "in the copy\n");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("a\n");
    expect(readdirSync(again.tree).sort()).toEqual(["a", "a2", "b", "d", "l"]);
  });
});

describe("a command in the workspace itself, beside a copy", () => {
  it("W08 undo brings back old contents of any size, tracked or not", { tags: ["smoke"] }, async () => {
    const { root, shell, journal } = fresh({ variants: [] });
    writeFileSync(join(root, "huge"), Buffer.alloc(9_000_000, 7));
    writeFileSync(join(root, "small"), "old\n");
    const before = stateOf(root);
    expect((await shell("echo more >> huge; rm small; ln -s x y; chmod 700 .")).output).toBe("");
    expect((await journal.undo()).losses).toEqual([]);
    expect(stateOf(root)).toBe(before);
  });

  it("W01 undo of random scripts is identity, and nothing is lost", { timeout: 600_000 }, async () => {
    const RUNS = Number(process.env.HAFT_UNDO_SCRIPTS ?? runs(10));
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (scripts) => {
        const bench = createBench({ variants: [] });
        try {
          makeRepository(bench.root);
          const before = withoutIndex(bench.root);
          for (const [index, command] of scripts.entries())
            await bench.shell(`${command}\nwait`, { id: `c${index}` }, { env: scriptEnv });
          if (bench.journal.history().entries.every(({ state }) => state === "dropped")) return;
          const { losses, kept } = await bench.journal.undo({ all: true });
          expect({ losses, kept }).toEqual({ losses: [], kept: [] });
          expect(withoutIndex(bench.root)).toBe(before);
        } finally {
          bench.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe.skipIf(!viewWorks("user-clone"))("a command in a copy", () => {
  it("W03 W05 keeps what somebody else changed meanwhile, and holds its own version", async () => {
    const { root, base, shell, journal } = fresh({ variants: ["user-clone"] });
    writeFileSync(join(root, "a"), "old\n");
    writeFileSync(join(root, "b"), "old\n");
    const wait = `touch ${base}/started; while [ ! -e ${base}/go ]; do sleep 0.05; done`;
    const running = shell(`${wait}; echo new > a; echo new > b; rm -f c`);
    await expect.poll(() => existsSync(join(base, "started"))).toBe(true);
    writeFileSync(join(root, "a"), "by a person\n");
    writeFileSync(join(root, "c"), "by a person\n");
    writeFileSync(join(base, "go"), "");
    const { output } = await running;
    expect(output).toMatch(/Not applied, because somebody else changed it while the command ran: a\./);
    expect(stateOf(root)).toBe("/a file 644 by a person\n\n/b file 644 new\n\n/c file 644 by a person\n");
    const [held] = await journal.held();
    await journal.commitHeld(held!.id, { force: true });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
  });

  it.skipIf(!viewWorks("root-clone") || !canChangeFlags())(
    "W08 is told when it makes an entry immutable, and the next command has a new copy",
    async () => {
      const { root, base, shell } = fresh({ variants: ["root-clone"] });
      mkdirSync(join(root, "d"));
      for (const name of ["a", "d/b"]) writeFileSync(join(root, name), "old\n");
      try {
        const { output, unapplied } = await shell("echo ran; chattr +i a");
        expect([output, unapplied?.message]).toEqual([
          "ran\n",
          expect.stringContaining("a cannot be moved out of the copy"),
        ]);
        await shell("chattr +i d", { id: "folder" });
        const next = await shell("echo new >> a; echo new >> d/b; rm d/b", { id: "next" });
        expect([next.output, next.unapplied]).toEqual(["", undefined]);
        expect(stateOf(root)).toBe("/a file 644 old\nnew\n\n/d folder 755");
      } finally {
        spawnSync("chattr", ["-R", "-f", "-i", base]);
      }
    },
  );

  it("W04 W05 is held for a review, and applied later by another process", async () => {
    const bench = fresh({ variants: ["user-clone"] });
    writeFileSync(join(bench.root, "a"), "old\n");
    execFileSync("git", ["-C", bench.root, "init", "-q"]);
    await bench.shell("echo new > a; mkdir -p n/er; echo b > n/er/b", {}, { timeoutMs: 200 });
    await bench.shell("echo new > a; mkdir -p n/er; echo b > n/er/b; sleep 20", { id: "c2" }, { timeoutMs: 600 });
    const other = bench.reopen();
    for (const held of await other.held()) await other.commitHeld(held.id);
    expect(readFileSync(join(bench.root, "n/er/b"), "utf8")).toBe("b\n");
    await other.undo({ all: true });
    expect(stateOf(bench.root, (path) => path.startsWith("/.git"))).toBe("/a file 644 old\n");
  });
});

describe("a copy of many files", () => {
  it("is made by several programs, and has the same state", { timeout: 120_000 }, async () => {
    const { base, root } = fresh();
    for (let folder = 0; folder < 30; folder++) {
      const path = join(root, folder < 25 ? "big" : "small", `d${folder}`);
      mkdirSync(path, { recursive: true });
      for (let file = 0; file < 100; file++) writeFileSync(join(path, `f${file}`), `${folder} ${file}\n`);
    }
    symlinkSync("big/d1", join(root, "link"));
    const shell = residentProgram("/bin/sh", []);
    const options = { folder: join(base, "copy"), root, isOwn: () => false, shell };
    expect(await openBase(options).refresh()).toMatchObject({ entries: 3033 });
    expect(stateOf(join(base, "copy/tree"))).toBe(stateOf(root));
    expect(await openBase(options).refresh()).toMatchObject({ copied: 0, isSame: true });
  });

  it("W07 may take longer than its program waits for the next copy", { tags: ["smoke"] }, async () => {
    const { root, options } = opened();
    const base = openBase({ ...options, shell: residentProgram("/bin/sh", [], { idleMs: 1 }) });
    expect(await base.refresh()).toMatchObject({ copied: 4 });
    expect(stateOf(base.tree)).toBe(stateOf(root));
  });
});
