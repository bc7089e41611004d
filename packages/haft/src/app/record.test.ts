import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSessionLog } from "@haft/service";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The display of an edit of a file with so many lines, as the record has it. */
async function recordedEdit(lines: number): Promise<Record<string, unknown>> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-record-")));
  folders.push(base);
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const text = Array.from({ length: lines }, (_, index) => `line ${index} of a file\n`).join("");
  writeFileSync(join(cwd, "a.txt"), text);
  const haft = await createHaft({
    cwd,
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    mode: "acceptEdits",
  });
  const edit = { file_path: "a.txt", old_string: "line 1 of", new_string: "line one of" };
  const { error, display } = await haft.call("Edit", edit);
  expect(error).toBeUndefined();
  expect(display).toMatchObject({ before: text, after: text.replace("line 1 of", "line one of") });
  await haft[Symbol.asyncDispose]();
  const { entries } = readSessionLog(haft.session.path!);
  const call = entries.find(({ t }) => t === "call") as { result?: { display?: Record<string, unknown> } } | undefined;
  return call?.result?.display ?? {};
}

describe("the record of an edit", () => {
  it("F31 has the difference, and not the whole of a large file twice", async () => {
    const display = await recordedEdit(2000);
    expect(Object.keys(display).sort()).toEqual(["added", "kind", "path", "removed", "unified"]);
    expect(display.unified).toContain("-line 1 of a file\n+line one of a file\n");
    expect(JSON.stringify(display).length).toBeLessThan(2000);
  });

  it("F31 has both texts of a small one", async () => {
    expect(await recordedEdit(3)).toMatchObject({ before: expect.any(String), after: expect.any(String) });
  });
});

it.skipIf(!existsSync("/proc/self/fd"))("E15 a session holds no file open before its first call", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-record-")));
  folders.push(base);
  const open = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(join("/proc/self/fd", fd)).startsWith(base);
      } catch {
        return false;
      }
    });
  await using haft = await createHaft({
    cwd: base,
    home: base,
    stateDir: join(base, "state"),
    env: {},
    settings: false,
  });
  expect(open()).toEqual([]);
  await haft.call("Glob", { pattern: "*" });
  expect(readSessionLog(haft.session.path!).entries.map(({ t }) => t)).toEqual(["session", "call"]);
});
