import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { type ZipEntry, zipOf } from "../../../../test/support/zip.ts";
import { unpackZip } from "./unpack-zip.ts";

let base: string;
let to: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-zip-")));
  to = join(base, "to");
  mkdirSync(to);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const PYTHON = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
    out.writestr("a/b.txt", "x" * 10000)
    run = zipfile.ZipInfo("run.sh")
    run.external_attr = 0o100755 << 16
    out.writestr(run, "#!/bin/sh")
`;

describe("a zip archive", () => {
  it("R03 is unpacked as another program wrote it, with programs as programs", () => {
    const file = join(base, "a.zip");
    execFileSync("python3", ["-c", PYTHON, file]);
    unpackZip(readFileSync(file), to);
    expect(readFileSync(join(to, "a/b.txt"), "utf8")).toBe("x".repeat(10_000));
    expect(statSync(join(to, "run.sh")).mode & 0o777).toBe(0o700);
  });

  const good: ZipEntry = { name: "good.txt", content: "x" };
  it.each([
    ["a name that leads out", zipOf([good, { name: "../out.txt" }])],
    ["a name that leads out by a backslash", zipOf([good, { name: "..\\out.txt" }])],
    ["an absolute name", zipOf([good, { name: "/etc/out.txt" }])],
    ["a link", zipOf([good, { name: "link", content: "/etc/passwd", mode: 0o120777 }])],
    ["a device", zipOf([good, { name: "dev", mode: 0o060644 }])],
    ["the same name twice", zipOf([good, { name: "a" }, { name: "A" }])],
    ["an encrypted file", zipOf([good, { name: "a", flags: 1 }])],
    ["a method that nobody knows", zipOf([good, { name: "a", method: 99 }])],
    ["a file that is larger than announced", zipOf([good, { name: "a", content: "x".repeat(5000), size: 10 }])],
    ["a bomb", zipOf([good, { name: "a", content: "x".repeat(2_000_000), size: 200_000_000 }])],
    [
      "a bomb of many files",
      zipOf(Array.from({ length: 12 }, (_, at) => ({ name: `${at}`, content: "x", size: 9_000_000 }))),
    ],
    ["nothing behind its beginning", Buffer.from("PK\u0003\u0004rest")],
  ])("R03 with %s is refused before anything is written", (_, archive) => {
    expect(() => unpackZip(archive, to)).toThrow(/cannot be unpacked/);
    expect(readdirSync(to)).toEqual([]);
  });

  it("R03 whose contents were changed is refused", () => {
    const archive = zipOf([{ name: "a.txt", content: "good", method: 0 }]);
    archive.write("evil", archive.indexOf("good"));
    expect(() => unpackZip(archive, to)).toThrow(/damaged/);
  });

  it("R03 never writes outside its folder and never crashes, for any bytes", () => {
    const entry = fc.record({ name: fc.string({ minLength: 1, maxLength: 60 }), content: fc.string() });
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), edits, (entries, changes) => {
        const archive = zipOf(entries);
        for (const [at, byte] of changes) archive[at % archive.length] = byte;
        const place = mkdtempSync(join(base, "p-"));
        writeFileSync(join(base, "canary"), "");
        const before = readdirSync(base).sort();
        try {
          unpackZip(archive, place);
        } catch (thrown) {
          expect(String(thrown)).toMatch(/cannot be unpacked/);
        }
        expect(readdirSync(base).sort()).toEqual(before);
      }),
      { numRuns: runs(300) },
    );
  });
});
