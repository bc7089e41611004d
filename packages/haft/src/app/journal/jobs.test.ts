import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { contentsText } from "@haft/core/tool";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository with a tracked file that is too big to be copied, a small one, and one that only the folder has. */
async function fresh(options: HaftOptions = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-jobs-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home"), join(cwd, "dist")]) mkdirSync(folder);
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  write("big.txt", "big\n".repeat(100_000));
  write("a.txt", "one\n");
  write(".gitignore", "dist/\n");
  write("dist/old.js", "old");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  write("mine.txt", "mine\n");
  write("huge.bin", "h".repeat(300_000));
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
    mode: "bypassPermissions",
    ...options,
  });
  const say = async (tool: string, input: object) => contentsText((await haft.call(tool, input)).content);
  /** Starts a job, waits until it has made the file `until`, and gives its id. */
  const start = async (command: string, until: string) => {
    const said = await say("Bash", { command, run_in_background: true });
    const id = /job (j\d+)/.exec(said)?.[1] ?? "";
    for (let round = 0; round < 200 && !existsSync(join(cwd, until)); round++) await wait(20);
    return { id, said };
  };
  return { cwd, haft, say, start, text, write };
}

it("W01 a poll tells the changes during a background job; they are undone if an old content exists", async () => {
  const { haft, say, start, text } = await fresh();
  const script =
    "echo two > a.txt; echo more >> big.txt; rm mine.txt; echo x > huge.bin; echo n > new.txt; echo b > dist/b.js; touch dist/ready; sleep 30";
  const { id, said } = await start(script, "dist/ready");
  expect(said).toMatch(/can be undone, as far as possible|Files changed while it ran/);
  const polled = await say("process", { action: "poll", id });
  expect(polled).toMatch(
    /Files changed while it ran: a\.txt, big\.txt, mine\.txt, new\.txt\. The user can undo call \S+\./,
  );
  expect(polled).toMatch(/Not undoable: huge\.bin\. Its old content is lost/);
  expect(polled).toContain("In ignored folders that can be rebuilt: dist.");
  await say("TaskStop", { task_id: id });
  const undone = await haft.undo();
  expect(undone.calls).toEqual([expect.objectContaining({ tool: "Bash", jobs: [id] })]);
  expect(undone.losses.map(({ path }) => path)).toEqual([expect.stringContaining("huge.bin")]);
  expect([text("a.txt"), text("mine.txt"), text("new.txt"), text("dist/b.js")]).toEqual([
    "one\n",
    "mine\n",
    undefined,
    "b\n",
  ]);
  expect(text("big.txt")).toBe("big\n".repeat(100_000));
  await haft[Symbol.asyncDispose]();
});

it("W01 a job's changes before and after Haft's own calls are undone in the order in which they happened", async () => {
  const { cwd, haft, say, start, text } = await fresh();
  const script =
    "echo job1 > a.txt; touch dist/1; while [ ! -e dist/go ]; do sleep 0.02; done; echo job2 >> a.txt; touch dist/2; sleep 30";
  const { id } = await start(script, "dist/1");
  await say("Read", { file_path: "a.txt" });
  await say("Write", { file_path: "a.txt", content: "call\n" });
  await say("Bash", { command: "echo made > other.txt" });
  writeFileSync(join(cwd, "dist/go"), "");
  for (let round = 0; round < 200 && !existsSync(join(cwd, "dist/2")); round++) await wait(20);
  expect(await say("TaskStop", { task_id: id })).toContain("a.txt");
  expect(text("a.txt")).toBe("call\njob2\n");
  const states: unknown[] = [];
  for (const _ of [1, 2, 3, 4]) {
    await haft.undo();
    states.push([text("a.txt"), text("other.txt")]);
  }
  expect(states).toEqual([
    ["call\n", "made\n"],
    ["call\n", undefined],
    ["job1\n", undefined],
    ["one\n", undefined],
  ]);
  await haft[Symbol.asyncDispose]();
});

it("W01 a job's changes until its own end, or that of the session, are recorded though nobody asked", async () => {
  const one = await fresh();
  await one.start("echo two > a.txt; touch dist/ready", "dist/ready");
  await one.haft[Symbol.asyncDispose]();
  const again = await createHaft({
    ...{ cwd: one.cwd, home: join(one.cwd, "../home"), stateDir: join(one.cwd, "../state") },
    env: {},
    settings: false,
  });
  expect((await again.undo()).changed.map(({ path }) => path)).toEqual([join(one.cwd, "a.txt")]);
  expect(one.text("a.txt")).toBe("one\n");
  await again[Symbol.asyncDispose]();
});

it("W03 files that are no longer ignored were not made by the job; a later edit of a person's stands in the way", async () => {
  const { haft, say, start, text, write } = await fresh();
  const { id } = await start("echo > .gitignore; echo two > a.txt; touch ready; sleep 30", "ready");
  expect(await say("TaskStop", { task_id: id })).not.toContain("dist");
  write("a.txt", "person\n");
  await expect(haft.undo()).rejects.toThrow("outside Haft");
  expect([text("a.txt"), text("dist/old.js")]).toEqual(["person\n", "old"]);
  write("a.txt", "two\n");
  await haft.undo();
  expect([text("a.txt"), text("dist/old.js"), text("ready"), text(".gitignore")]).toEqual([
    "one\n",
    "old",
    undefined,
    "dist/\n",
  ]);
  await haft[Symbol.asyncDispose]();
});

it("W08 a job that only reads costs no look, and without a journal it is said that nothing is kept", async () => {
  const reader = await fresh();
  expect((await reader.start("tail -f a.txt", "a.txt")).said).toContain("cannot be undone");
  await reader.haft[Symbol.asyncDispose]();
  const off = await fresh({ journal: false });
  expect((await off.start("sleep 30", "a.txt")).said).toContain("cannot be undone");
  await off.haft[Symbol.asyncDispose]();
});
