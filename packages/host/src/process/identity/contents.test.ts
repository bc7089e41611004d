import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { contentsFor } from "./contents.ts";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-contents-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const put = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const of = (program: string, ...files: string[]) => contentsFor({ cwd, program, files });
const namesOf = async (program: string, ...files: string[]) =>
  Object.keys(await of(program, ...files)).map((path) => path.slice(cwd.length + 1));

it("G15 a file is known by what stands in it, however it came to stand there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (before, after) => {
      put("s", before);
      const first = await of("sh", "s");
      rmSync(join(cwd, "s"));
      put("s", after);
      expect((await of("sh", "s"))[join(cwd, "s")] === first[join(cwd, "s")]).toBe(before === after);
    }),
    { numRuns: 50 },
  );
});

it("G15 a file that a program reads unasked is in its folder, one above, or one that is named", async () => {
  mkdirSync(join(cwd, "in/deep"), { recursive: true });
  put("package.json", "{}");
  put("in/Makefile", "");
  expect(await namesOf("npm", "run", "x")).toEqual(["package.json"]);
  expect(await namesOf("/usr/bin/npm", "--prefix=in/deep", "run", "x")).toEqual(["package.json"]);
  expect(await namesOf("make", "-C", "in/deep")).toContain("in/Makefile");
  expect(await namesOf("sh", "run", "in", "missing")).toEqual([]);
});

it("G15 nothing is waited for: pipes and folders have no content, a huge file is known by its last change", async () => {
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  put("huge", "");
  truncateSync(join(cwd, "huge"), 50 * 1024 ** 3);
  symlinkSync("huge", join(cwd, "link"));
  const before = await of("sh", "pipe", ".", "huge", "link", "a\nb", "", "x".repeat(9000));
  expect(Object.keys(before)).toEqual([join(cwd, "huge"), join(cwd, "link")]);
  put("huge", "");
  expect(await of("sh", "huge", "link")).not.toEqual(before);
});
