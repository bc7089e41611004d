import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { run as runEffect } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { type Bench, benches, stateOf } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";
import { wasCopied } from "./view/read/origin.ts";

const fresh = benches();

/** Waits until a command that touches `started` outside its view has come that far. */
async function untilStarted({ base }: Bench): Promise<void> {
  while (!existsSync(join(base, "started"))) await wait(5);
}
const pause = (bench: Bench) => `touch ${bench.base}/started; while [ ! -e ${bench.base}/go ]; do sleep 0.02; done`;
const goOn = ({ base }: Bench) => writeFileSync(join(base, "go"), "");

describe.skipIf(!viewWorks("user"))("a command in a view of the workspace", () => {
  it("is invisible until it has ended; its exit code, output and folder are its own, and a failed one counts too", {
    tags: ["smoke"],
  }, async () => {
    const bench = fresh();
    const running = bench.shell(`echo made > new; ${pause(bench)}; mkdir d; cd d; exit 7`);
    await untilStarted(bench);
    expect(readdirSync(bench.root)).toEqual([]);
    goOn(bench);
    expect(await running).toMatchObject({ exitCode: 7, output: "", timedOut: false });
    expect(stateOf(bench.root)).toBe("/d folder 755\n/new file 644 made\n");
    expect(await bench.shell("cd d")).toMatchObject({ exitCode: 0, cwd: join(bench.root, "d") });
  });

  it("W01 a folder of thousands that was changed after it was made stays, and it is said why and what helps", async () => {
    const bench = fresh();
    await bench.shell("mkdir many; cd many; seq 5100 | xargs touch", { id: "c1" });
    await bench.shell("echo x > many/7", { id: "c2" });
    await bench.journal.undo();
    await expect(bench.journal.undo()).rejects.toThrow(/many: something in it has changed since.*remove it by hand/);
    expect(readdirSync(join(bench.root, "many"))).toHaveLength(5100);
  });

  it("a file that others changed meanwhile is never overwritten: edits, new files, removals, folders", async () => {
    const bench = fresh();
    const { root, journal } = bench;
    mkdirSync(join(root, "d"));
    for (const name of ["edited", "saved", "gone", "free", "d/inner"]) writeFileSync(join(root, name), "start\n");
    const work = "for f in edited saved gone free; do echo ours >> $f; done; echo ours > both; rm -r d";
    const running = bench.shell(`${work}; ${pause(bench)}`);
    await untilStarted(bench);
    writeFileSync(join(root, "edited"), "theirs");
    writeFileSync(join(root, "temp"), "theirs");
    renameSync(join(root, "temp"), join(root, "saved"));
    rmSync(join(root, "gone"));
    writeFileSync(join(root, "both"), "theirs");
    writeFileSync(join(root, "d/inner"), "theirs");
    goOn(bench);
    const { output } = await running;
    expect(output).toMatch(/^\[Not applied, because somebody else changed it.*: both, d, edited, gone, saved\./);
    const text = (name: string) => readFileSync(join(root, name), "utf8");
    expect(["edited", "saved", "both", "d/inner", "free"].map(text)).toEqual([
      ...["theirs", "theirs", "theirs", "theirs"],
      "start\nours\n",
    ]);
    expect(existsSync(join(root, "gone"))).toBe(false);
    // The command's version is kept, and comes only when a person wants it.
    await journal.redo({ call: "c1", force: true });
    expect(text("edited")).toBe("start\nours\n");
    await journal.undo();
    expect(text("edited")).toBe("theirs");
  });

  it("a conflict inside .git holds all of that repository's own files back", async () => {
    const bench = fresh();
    const git = (...args: string[]) => execFileSync("git", ["-C", bench.root, ...args], { stdio: "pipe" });
    git("init", "-q");
    writeFileSync(join(bench.root, "a"), "1");
    const running = bench.shell(`git add a; echo x > b; ${pause(bench)}`);
    await untilStarted(bench);
    git("add", "a");
    goOn(bench);
    expect((await running).output).toMatch(/\.git\/index/);
    git("fsck", "--strict");
    expect(existsSync(join(bench.root, "b"))).toBe(true);
  });

  it("all names of a hard-linked file see its change, and its undo", async () => {
    const bench = fresh();
    writeFileSync(join(bench.root, "a"), "one\n");
    linkSync(join(bench.root, "a"), join(bench.root, "b"));
    await bench.shell("echo two >> a");
    expect(readFileSync(join(bench.root, "b"), "utf8")).toBe("one\ntwo\n");
    await bench.journal.undo();
    expect(readFileSync(join(bench.root, "b"), "utf8")).toBe("one\n");
    expect(statSync(join(bench.root, "a")).nlink).toBe(2);
  });

  it("a touched file keeps its new time; sockets are reported and left out", async () => {
    const bench = fresh();
    writeFileSync(join(bench.root, "a"), "one\n");
    const bind = "require('net').createServer().listen('sock', () => process.kill(process.pid, 'SIGKILL'))";
    const { output } = await bench.shell(`touch -d 2001-01-01 a; ${process.execPath} -e "${bind}"`);
    expect(statSync(join(bench.root, "a")).mtime.getFullYear()).toBe(2001);
    expect(output).toMatch(/\[Not undoable: sock\./);
    expect(readdirSync(bench.root)).toEqual(["a"]);
  });

  it("is told what a view cannot do: to rename a folder in one step", async () => {
    const bench = fresh();
    mkdirSync(join(bench.root, "d"));
    writeFileSync(join(bench.root, "d/a"), "");
    const { output } = await bench.shell(`${process.execPath} -e "require('fs').renameSync('d', 'e')"`);
    expect(output).toMatch(/EXDEV[\s\S]*\[Commands run in a view/);
    expect((await bench.shell("mv d e")).exitCode).toBe(0);
    expect(stateOf(bench.root)).toBe("/e folder 755\n/e/a file 644 ");
  });

  it("leaves no mark of the overlay on what it changed, be it few files or many", async () => {
    const { root, shell, journal } = fresh();
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    for (const name of names) writeFileSync(join(root, name), "old\n", { mode: 0o640 });
    const before = stateOf(root);
    await shell("echo new >> f0");
    await shell("for f in f*; do echo more >> $f; done", { id: "c2" });
    expect(readFileSync(join(root, "f7"), "utf8")).toBe("old\nmore\n");
    expect(names.filter((name) => wasCopied(join(root, name)))).toEqual([]);
    await journal.undo();
    await journal.undo();
    expect(stateOf(root)).toBe(before);
  });

  it("big folders are moved as one, and come back with all that is in them", async () => {
    const bench = fresh();
    await bench.shell(
      "mkdir big; cd big; for d in 1 2 3; do mkdir $d; for i in $(seq 1700); do echo $i > $d/$i; done; done",
      { id: "c1" },
    );
    const made = stateOf(bench.root);
    expect(bench.journal.history().entries[0]?.changes).toMatchObject([{ after: { type: "tree", entries: 5103 } }]);
    await bench.shell("rm -r big", { id: "c2" });
    expect(readdirSync(bench.root)).toEqual([]);
    await bench.journal.undo();
    expect(stateOf(bench.root)).toBe(made);
    writeFileSync(join(bench.root, "big/1/1"), "edited by a person");
    await expect(bench.journal.undo()).rejects.toMatchObject({ code: "conflict" });
  });

  it("odd names and folders do no harm", async () => {
    const bench = fresh();
    const odd = join(bench.root, "a,b:c\\d 'e\"\nf");
    mkdirSync(odd);
    const inner = createBenchAt(odd);
    await inner("echo x > $'new\\nline'; echo y > $'byte-\\xff'");
    expect(readdirSync(odd, { encoding: "buffer" }).map((name) => name.toString("latin1"))).toEqual([
      "byte-\xff",
      "new\nline",
    ]);
  });

  it("a reader that is proved to be one runs without a view", async () => {
    const bench = fresh();
    const effects = [runEffect({ argv: ["cat", "/proc/self/mounts"], text: "cat", cwd: bench.root, opaque: false })];
    const inside = async (request: object) =>
      (await bench.shell("cat /proc/self/mounts", {}, request)).output.includes(`haft ${bench.root} overlay`);
    expect(await inside({ bound: { effects, holes: [] } })).toBe(false);
    expect(await inside({})).toBe(true);
  });
});

/** A bench whose workspace lies at a given place. */
function createBenchAt(root: string) {
  const bench = fresh({}, root);
  return (command: string) => bench.shell(command);
}
