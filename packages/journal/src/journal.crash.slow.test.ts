import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Bench, benches, callOf, stateOf } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_KILLS=200` is the full size. */
const KILLS = Number(process.env.HAFT_KILLS ?? 6);
const writer = join(import.meta.dirname, "../test/support/journal-writer.ts");

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
const fresh = benches();

/** A writer that has loaded everything and waits for its word; it is begun ahead, since a start takes longer than most lives. */
function waitingWriter({ root, folder }: Bench) {
  const args = ["--conditions=haft-source", writer, root, folder];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    /** Lets it write for a while and kills it; how far it came does not matter. */
    async run(start: number, afterMs: number): Promise<void> {
      const begins = new Promise((resolve) => child.stdout.once("data", () => resolve(true)));
      child.stdin.write(`${start}\n`);
      expect(await Promise.race([begins, ended])).toBe(true);
      setTimeout(() => child.kill("SIGKILL"), afterMs);
      await ended;
    },
    end: () => child.kill("SIGKILL"),
  };
}

describe("a journal after a kill", () => {
  it.skipIf(!viewWorks("user"))(
    "W07 opens after a kill at any instant, holds no half file, and undo brings everything back",
    { timeout: 30_000 + KILLS * 3_000 },
    async () => {
      const bench = fresh();
      const { root, reopen } = bench;
      mkdirSync(join(root, "sub"));
      for (let file = 0; file < 7; file++) writeFileSync(join(root, `f${file}`), "start\n");
      // Enough of them to be exchanged by a program of its own, which must not outlive its process.
      for (let file = 1; file < 25; file++) writeFileSync(join(root, `sub/g${file}`), "start\n");
      const before = stateOf(root);
      let next = waitingWriter(bench);
      closers.push(() => next.end());
      for (let kill = 0; kill < KILLS; kill++) {
        const current = next;
        next = waitingWriter(bench);
        await current.run(kill * 1_000, 20 + (400 * kill) / KILLS);
        const journal = reopen();
        await journal.planUndo({ all: true }).catch(() => undefined);
        expect(journal.history().entries.filter(({ state }) => state === "open")).toEqual([]);
        for (const name of readdirSync(root).filter((one) => one.startsWith("f"))) expectWhole(join(root, name));
        if (kill % 2 === 0) continue;
        // A kill before the first write leaves nothing to undo, which is an error; the files must be the old ones then, too.
        const undone = await journal.undo({ all: true }).catch(({ code }) => code);
        if (undone !== "validation_failed") expect(undone).toMatchObject({ losses: [], kept: [] });
        expect(stateOf(root, isTemporary)).toBe(before);
      }
    },
  );

  it("W05 W07 a view that was left is held, and its changes can be applied", { timeout: 20_000 }, async () => {
    if (!viewWorks("user")) return;
    const bench = fresh();
    const { journal, root } = bench;
    writeFileSync(join(root, "a"), "old");
    const controller = new AbortController();
    const started = join(bench.base, "started");
    const command = `echo new > a; : > ${started}; sleep 30`;
    const running = bench.shell(command, { id: "c5" }, { signal: controller.signal });
    await expect.poll(() => existsSync(started), { timeout: 15_000 }).toBe(true);
    controller.abort();
    expect((await running).output).toMatch(/HeldChanges/);
    expect(stateOf(root)).toBe("/a file 644 old");
    await journal.redo({ call: "c5" });
    expect(stateOf(root)).toBe("/a file 644 new\n");
    await journal.undo();
    expect(stateOf(root)).toBe("/a file 644 old");
  });

  it("W03 W07 a foreign edit after the crash is not taken for the write that never came", {
    tags: ["smoke"],
  }, async () => {
    const { journal, root, reopen, folder } = fresh();
    writeFileSync(join(root, "a"), "old");
    const never = journal.change(callOf(), { path: join(root, "a"), data: "new" }, () => new Promise(() => {}));
    never.catch(() => undefined);
    await expect.poll(() => journal.history().entries.length).toBe(1);
    // As if the process had died: its mark names one that is gone.
    const [mark = ""] = readdirSync(join(folder, "writers"));
    const { renameSync, readFileSync } = await import("node:fs");
    renameSync(join(folder, "writers", mark), join(folder, "writers", mark.replace(/^\d+/, "999999999")));
    const lines = readFileSync(join(folder, "journal.jsonl"), "utf8").replaceAll(
      mark,
      mark.replace(/^\d+/, "999999999"),
    );
    writeFileSync(join(folder, "journal.jsonl"), lines);
    writeFileSync(join(root, "a"), "by a person");
    await expect(reopen().undo()).rejects.toMatchObject({ code: "validation_failed" });
    expect(stateOf(root)).toBe("/a file 644 by a person");
  });
});

/** A temporary file of the Files port may be left by a kill; it is no half file under a real name. */
const isTemporary = (path: string): boolean => /\/\.haft-[0-9]+-[0-9a-f]+\.tmp$/.test(path);

function expectWhole(path: string): void {
  const line = stateOf(join(path, ".."))
    .split("\n/")
    .find((one) => one.replace(/^\//, "").startsWith(`${path.split("/").at(-1)} `));
  expect(line).toMatch(/^\/?f\d file 644 (?:start\n?|(\d+ )\1{1999})$/);
}
