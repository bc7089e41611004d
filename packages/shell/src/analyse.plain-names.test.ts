import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";

const { files } = createHost({ cwd: "/" }).ports;
let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-names-")));
  for (const [folder, names] of [
    ["plain", ["a.ts", "b.ts"]],
    ["odd", ["a.ts", "-i.ts"]],
  ] as const)
    for (const name of names) {
      mkdirSync(join(base, folder), { recursive: true });
      writeFileSync(join(base, folder, name), "x\n");
    }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function isRead(script: string, folder: string): Promise<boolean> {
  const cwd = join(base, folder);
  return !(await analyseInPlace(script, { cwd, home: base }, files)).opaque;
}

describe("the words that a wildcard gives to a program whose options can change something", () => {
  it.each([
    'for f in *.ts; do echo "== $f"; sed -n 1,40p "$f"; done',
    "sed -n 1,40p *.ts",
    'files=(*.ts); sed -n 1p "${files[@]}"',
    "sort *.ts | head",
    'for f in *.ts; do git diff "$f"; done',
  ])("G01 G07 %s only reads where no name looks like an option", async (script) => {
    expect([await isRead(script, "plain"), await isRead(script, "odd")]).toEqual([true, false]);
  });

  it.each([
    "sed -n 1p -*.ts",
    "sed -n 1p {-i,x}*.ts",
    'x=-i; sed -n 1p "$x"*.ts',
    "sed -n 1p $(ls)",
    "x=$(find . -name '*.ts'); sed -n 1p $x",
    "sed -n 1p $(find . -name '*.ts')",
    "find . -name '*.ts' | xargs sed -n 1p",
    "sed -n 1p *",
    "ls | xargs sed -n 1p",
    "echo *.ts | while read -r f; do sed -n 1p $f; done",
    'ls *.ts | while read -r f; do sed -n 1p "$f"; done',
    'for f in *.ts; do sed -n 1p "${f#a}"; done',
    "cd sub && sed -n 1p *.ts",
    "touch x; sed -n 1p *.ts",
  ])("G07 %s is not read so, with any names", async (script) => {
    expect(await isRead(script, "plain")).toBe(false);
  });
});
