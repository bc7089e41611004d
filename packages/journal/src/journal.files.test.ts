import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { benches, createBench, stateOf } from "../test/support/journal.ts";

const fresh = benches();

describe("undo of file tools", () => {
  it("W01 W02 undo brings back content and mode, removes what was made with its folders, and redo does it again", async () => {
    const { root, journal, write } = fresh();
    writeFileSync(join(root, "a.sh"), "old\n", { mode: 0o755 });
    const before = stateOf(root);
    await write("a.sh", "new\n", { id: "c1" });
    await write("deep/er/b.txt", "made\n", { id: "c2" });
    const after = stateOf(root);
    expect((await journal.undo()).calls).toEqual([{ id: "c2", tool: "Write", session: "s1" }]);
    expect(readdirSync(root)).toEqual(["a.sh"]);
    await journal.undo();
    expect(stateOf(root)).toBe(before);
    await expect(journal.undo()).rejects.toMatchObject({ message: expect.stringMatching(/undone already/) });
    await journal.redo();
    await journal.redo();
    expect(stateOf(root)).toBe(after);
    await expect(journal.redo()).rejects.toMatchObject({ message: expect.stringMatching(/nothing to redo/) });
    await journal.undo({ all: true });
    expect(stateOf(root)).toBe(before);
  });

  it("W08 the error tells a change that never happened from one that is undone already", async () => {
    const { journal, write } = fresh();
    await write("a", "1", { id: "c1", turn: 1 });
    await journal.undo();
    const answer = (scope: object) => journal.undo(scope).catch(({ message }: Error) => message);
    expect(await answer({ turn: 1, session: "s1" })).toMatch(/undone already in session s1/);
    expect(await answer({ turn: 2 })).toMatch(/nothing to undo: the journal has no changes of turn 2/);
    expect(await answer({ session: "other" })).toMatch(/nothing to undo: .* in session other/);
  });

  it("W03 undo refuses when others have changed a file since, and with force leaves that file as it is", async () => {
    const { root, journal, write } = fresh();
    await write("mine.txt", "1");
    await write("shared.txt", "1");
    writeFileSync(join(root, "shared.txt"), "edited by a person");
    const refused = journal.undo();
    await expect(refused).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/shared\.txt.*outside Haft/),
    });
    expect(readFileSync(join(root, "mine.txt"), "utf8")).toBe("1");
    const { kept, changed } = await journal.undo({ force: true });
    expect(kept).toMatchObject([{ path: join(root, "shared.txt") }]);
    expect(changed).toMatchObject([{ path: join(root, "mine.txt") }]);
    expect(readdirSync(root)).toEqual(["shared.txt"]);
  });

  it("W02 undo of an earlier call names the later one that stands in the way; of a turn, it takes both", async () => {
    const { root, journal, write } = fresh();
    writeFileSync(join(root, "a"), "0");
    await write("a", "1", { id: "c1" });
    await write("a", "2", { id: "c2" });
    await write("b", "2", { id: "c3", turn: 2 });
    await expect(journal.undo({ call: "c1" })).rejects.toMatchObject({
      message: expect.stringMatching(/call c2 \(Write\)/),
    });
    await journal.undo({ turn: 1 });
    expect(stateOf(root)).toBe("/a file 644 0\n/b file 644 2");
    await journal.redo();
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2");
    await journal.undo({ to: "c1" });
    expect(stateOf(root)).toBe("/a file 644 1");
  });

  it("W03 undo keeps a folder that it made when others have put something into it", async () => {
    const { root, journal, write } = fresh();
    await write("made/a", "1");
    writeFileSync(join(root, "made/foreign"), "mine");
    const { losses } = await journal.undo();
    expect(losses).toMatchObject([{ path: join(root, "made"), why: expect.stringMatching(/does not know/) }]);
    expect(readdirSync(join(root, "made"))).toEqual(["foreign"]);
  });

  it("W02 undo of one session leaves another's changes; nested calls go with the call that made them", async () => {
    const { root, journal, write } = fresh();
    await write("a", "1", { session: "s1" });
    await write("b", "1", { session: "s2", id: "c7.1" });
    await write("c", "1", { session: "s2", id: "c7.2" });
    await journal.undo();
    expect(readdirSync(root)).toEqual(["a"]);
    await expect(journal.undo({ session: "s2" })).rejects.toMatchObject({
      message: expect.stringMatching(/undone already/),
    });
    await journal.undo({ session: "s1", call: "c1" });
    expect(readdirSync(root)).toEqual([]);
  });

  it("W03 undo does not follow a link that took a folder's place", async () => {
    const { root, base, journal, write } = fresh();
    mkdirSync(join(root, "d"));
    writeFileSync(join(root, "d/a"), "old");
    await write("d/a", "new");
    mkdirSync(join(base, "elsewhere"));
    writeFileSync(join(base, "elsewhere/a"), "new");
    rmSync(join(root, "d"), { recursive: true });
    symlinkSync(join(base, "elsewhere"), join(root, "d"));
    await expect(journal.undo()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/^Nothing was changed.*\n.*link/),
      details: { conflicts: [{ why: expect.stringMatching(/link/) }] },
    });
    await expect(journal.undo({ force: true })).resolves.toMatchObject({ changed: [], kept: [{ call: "c1" }] });
    expect(readFileSync(join(base, "elsewhere/a"), "utf8")).toBe("new");
  });

  it("preview shows a unified diff and changes nothing", async () => {
    const { root, journal, write } = fresh();
    writeFileSync(join(root, "a"), "one\ntwo\n");
    await write("a", "one\n2\n");
    const [shown] = await journal.preview(await journal.planUndo());
    expect(shown?.diff).toMatch(/^-2\n\+two$/m);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("one\n2\n");
  });

  it("contents are kept once, for their owner only", async () => {
    const { root, folder, write } = fresh();
    for (const name of ["a", "b", "c"]) {
      writeFileSync(join(root, name), "the same");
      await write(name, `${name} new`);
    }
    const blobs = readdirSync(join(folder, "blobs"), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(blobs).toHaveLength(1);
    expect(statSync(join(blobs[0]!.parentPath, blobs[0]!.name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "journal.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("a write that cannot be kept is not made", async () => {
    const { root, folder, write } = fresh();
    writeFileSync(join(root, "a"), "old");
    writeFileSync(join(folder, "..", "..", "state"), "a file where the journal's folder should be");
    await expect(write("a", "new")).rejects.toMatchObject({
      code: "no_space",
      hint: expect.stringMatching(/HAFT_JOURNAL=off/),
    });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("old");
  });

  it("big files are kept as they are and come back", async () => {
    const { root, journal, write } = fresh();
    const big = Buffer.alloc(9 * 1024 * 1024, "x").toString();
    writeFileSync(join(root, "big"), big);
    chmodSync(join(root, "big"), 0o600);
    await write("big", "small");
    await journal.undo();
    expect(readFileSync(join(root, "big"), "utf8") === big).toBe(true);
    expect(statSync(join(root, "big"))).toMatchObject({ nlink: 1, mode: 0o100600 });
    await journal.redo();
    expect(readFileSync(join(root, "big"), "utf8")).toBe("small");
  });

  it("W08 old content is dropped from the far end when it grows over the limit; the remaining changes can be undone", async () => {
    const bench = fresh({ limit: 100_000 });
    const { root, folder, write, reopen } = bench;
    for (let round = 1; round <= 20; round++) await write("a", `${round}`.padEnd(10_000, "x"), { id: `c${round}` });
    bench.journal.close();
    const sizes = readdirSync(join(folder, "blobs"), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.length).toBeLessThanOrEqual(8);
    const { calls, losses } = await reopen().undo({ all: true });
    expect([calls.length, losses]).toEqual([sizes.length, []]);
    expect(readFileSync(join(root, "a"), "utf8")).toBe(`${20 - sizes.length}`.padEnd(10_000, "x"));
  });

  it("W01 W02 undo after any writes is identity, and redo after undo is what they made", async () => {
    const name = fc.constantFrom("a", "b", "d/a", "d/b", "d/e/c");
    const script = fc.array(fc.tuple(name, fc.string(), fc.integer({ min: 1, max: 4 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(script, fc.constantFrom("", "start"), async (writes, start) => {
        const bench = createBench();
        try {
          if (start !== "") writeFileSync(join(bench.root, "a"), start);
          const before = stateOf(bench.root);
          for (const [path, text, turn] of writes) await bench.write(path, text, { id: `c${turn}`, turn });
          const after = stateOf(bench.root);
          const isSame = before === after && bench.journal.history().entries.every(({ state }) => state === "dropped");
          if (isSame) return;
          await bench.journal.undo({ all: true });
          expect(stateOf(bench.root)).toBe(before);
          await bench.journal.redo();
          expect(stateOf(bench.root)).toBe(after);
        } finally {
          bench.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});
