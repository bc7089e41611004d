import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";
import type { Notice } from "../notice.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A separate process that applies one patch to many files and is killed meanwhile. */
const PATCH = `
const [factory, options, patch] = process.argv.slice(1);
const { createHaft } = await import(factory);
const haft = await createHaft(JSON.parse(options));
process.stdout.write(JSON.stringify(await haft.call("apply_patch", { input: patch })));
await haft[Symbol.asyncDispose]();
`;

function workspace() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-killed-")));
  folders.push(base);
  const cwd = join(base, "work");
  mkdirSync(join(base, "home"), { recursive: true });
  mkdirSync(cwd);
  for (let at = 0; at < FILES; at++) writeFileSync(join(cwd, `old${at}`), "one\ntwo\n");
  const options = { cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false } as const;
  return { cwd, options: { ...options, rules: { allow: ["apply_patch", "Write"] } } satisfies HaftOptions };
}

const FILES = 150;
const each = (line: (at: number) => string) => Array.from({ length: FILES }, (_, at) => line(at)).join("\n");
const patch = [
  "*** Begin Patch",
  each((at) => `*** Add File: new/${at}\n+new`),
  each((at) => `*** Update File: old${at}\n@@\n one\n-two\n+three`),
  "*** End Patch",
].join("\n");

const startPatch = (options: HaftOptions) => {
  const script = ["--conditions=haft-source", "--input-type=module", "-e", PATCH];
  const args = [...script, join(import.meta.dirname, "../create-haft.ts"), JSON.stringify(options), patch];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { child, ended: new Promise<number | null>((resolve) => child.once("exit", resolve)) };
};

const isTemporary = (name: string) => name.startsWith(".haft-");
const changedIn = (cwd: string) =>
  readdirSync(cwd)
    .filter((name) => !isTemporary(name))
    .filter((name) => name === "new" || readFileSync(join(cwd, name), "utf8") !== "one\ntwo\n");

describe("a patch whose process is killed", () => {
  it("W07 a killed call's writes are all undone at the next start, but for files that others have changed since", {
    tags: ["smoke"],
    timeout: 60_000,
  }, async () => {
    const { cwd, options } = workspace();
    const { child, ended } = startPatch(options);
    while (changedIn(cwd).length < 10) await wait(1);
    child.kill("SIGKILL");
    expect(await ended).toBeNull();
    const half = changedIn(cwd);
    const others = half.find((name) => name.startsWith("old"))!;
    expect(half.length).toBeLessThan(FILES);
    writeFileSync(join(cwd, others), "by a person\n");
    const heard: Notice[] = [];
    await using haft = await createHaft({ ...options, onNotice: (notice) => heard.push(notice) });
    expect((await haft.call("Write", { file_path: "next", content: "next\n" })).error).toBeUndefined();
    expect(changedIn(cwd)).toEqual(["next", others]);
    expect(readFileSync(join(cwd, others), "utf8")).toBe("by a person\n");
    expect(readdirSync(cwd).filter(isTemporary)).toEqual([]);
    expect(heard).toMatchObject([{ code: "call_cut_off", severity: "notice", source: "journal" }]);
    expect(heard[0]?.message).toMatch(
      /^Haft was killed in the middle of apply_patch \(call .+ of session .+\): its changes were undone, \d+ paths; 1 path changed by others since/,
    );
    expect((await haft.undo()).calls).toMatchObject([{ tool: "Write" }]);
    // The call that was rolled back does not belong to this session, and nothing of it is undone twice.
    expect(changedIn(cwd)).toEqual([others]);
  });

  it("W07 a finished call stands, even if its process is killed afterwards", { timeout: 60_000 }, async () => {
    const { cwd, options } = workspace();
    const { child, ended } = startPatch(options);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGKILL");
    await ended;
    await using haft = await createHaft(options);
    await haft.call("Write", { file_path: "next", content: "next\n" });
    expect(changedIn(cwd)).toHaveLength(FILES + 2);
    await haft.undo();
    await haft.undo();
    expect(changedIn(cwd)).toEqual([]);
  });
});
