import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benches, stateOf } from "../../test/support/journal.ts";

const fresh = benches();

describe("several who undo at once", () => {
  it("W02 each call is undone by one of them, all or nothing, and redo brings all of it back", async () => {
    const { root, journal, write, reopen } = fresh();
    for (const id of ["c1", "c2", "c3"])
      for (const name of ["shared", ...Array.from({ length: 9 }, (_, at) => `${id}-${at}`)])
        await write(name, id, { id });
    const after = stateOf(root);
    const all = await Promise.all([journal, reopen(), reopen()].map((one) => one.undo()));
    expect(all.map(({ calls, changed, losses }) => [calls[0]?.id, changed.length, losses]).sort()).toEqual(
      ["c1", "c2", "c3"].map((id) => [id, 10, []]),
    );
    expect(readdirSync(root)).toEqual([]);
    await Promise.all([journal, reopen(), reopen()].map((one) => one.redo()));
    expect(stateOf(root)).toBe(after);
    const ends = await Promise.allSettled([journal, reopen()].map((one) => one.undo({ all: true })));
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(readdirSync(root)).toEqual([]);
    // Each path is told once, with what it held first and holds in the end.
    const [done] = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
    expect(done?.changed.filter(({ path }) => path === join(root, "shared"))).toMatchObject([
      { after: { type: "none" } },
    ]);
  });

  it.skipIf(process.platform !== "linux")("W02 nobody waits for one that was killed in its turn", async () => {
    const { root, folder, journal, write } = fresh();
    await write("a", "1");
    const child = spawn("sleep", ["60"]);
    const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(join(folder, "turn"), `${child.pid}-${start}-someone`);
    let isUndone = false;
    const undoing = journal.undo().then(() => (isUndone = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([isUndone, readdirSync(root)]).toEqual([false, ["a"]]);
    child.kill("SIGKILL");
    await undoing;
    expect(readdirSync(root)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith("turn"))).toEqual([]);
  });

  it("W03 forced over a repository that went on, undo leaves all of its own files alone: it stays whole", async () => {
    const { root, journal, shell, plainly } = fresh();
    const env = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "e", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "e" };
    await plainly("git init -qb main; echo 1 > a; git add a; git commit -qm 1; git branch other", env);
    await shell("echo 2 > b; git add b; git commit -qm 2", {}, { env });
    await plainly("git checkout -q other; echo 3 > c; git add c; git commit -qm 3; git checkout -q main", env);
    await expect(journal.undo()).rejects.toMatchObject({ code: "conflict" });
    const { kept, changed } = await journal.undo({ force: true });
    expect(changed.map(({ path }) => path)).toEqual([join(root, "b")]);
    expect(kept.length).toBeGreaterThan(1);
    expect(await plainly("git fsck --strict && git log --oneline -1 --format=%s")).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/2\n$/),
    });
  });
});
