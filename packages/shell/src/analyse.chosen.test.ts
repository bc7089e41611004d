import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import { openedUnnamed, shownUnnamed } from "./reader/output-files/opened.ts";
import "../../../test/support/seed.ts";

const FILES = ["a.md", "b.ts", "c.pem", ".env", "sub/a.md", "sub/c.pem", "sub/deep/b.ts", "sub/deep/key.pem"];
let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-opened-")));
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  // Each file says which one it is.
  for (const name of FILES) writeFileSync(join(root, name), `${name}\n`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const glob = fc.constantFrom("'*.md'", "'*.pem'", "'*.ts'", "'*'", "'.env'", "'[ab]*'", "'?.md'");
const bare = glob.map((one) => one.slice(1, -1));
const grep = fc
  .array(
    fc.tuple(fc.constantFrom("--include", "--exclude"), glob).map(([option, one]) => `${option}=${one}`),
    {
      maxLength: 3,
    },
  )
  .map((options) => `grep -rh '' ${options.join(" ")} .`);
const test = fc.oneof(
  fc.tuple(fc.constantFrom("", "! ", "-not ", "! ! "), glob).map(([not, one]) => `${not}-name ${one}`),
  fc.constantFrom("-type f", "-print", "-o", "-maxdepth 1", "-not \\( -name '*.md' \\)"),
);
const find = fc.array(test, { maxLength: 6 }).map((tests) => `find . ${tests.join(" ")}`);
const command = fc.oneof(
  grep,
  find.map((one) => `${one} | xargs cat`),
  find.map((one) => `cat $(${one})`),
  find.map((one) => `${one} | sort | head -3 | xargs cat`),
  find.map((one) => `${one} -exec cat {} +`),
  find.map((one) => `${one} | while read f; do cat "$f"; done`),
  find.map((one) => `${one} | sed 's/a.md/c.pem/' | xargs cat`),
  fc.tuple(bare, bare).map(([one, other]) => `cat ${one} sub/${other}`),
  fc.tuple(bare, bare).map(([one, other]) => `for f in ${one} */${other}; do cat "$f"; done`),
);

const shown = (script: string): readonly string[] => {
  try {
    return execFileSync("bash", ["--noprofile", "--norc", "-c", script], {
      ...{ cwd: root, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
  } catch (thrown) {
    return String((thrown as { stdout?: string }).stdout ?? "").split("\n");
  }
};

describe("files that a command opens though nobody named them", () => {
  it("G17 F29 are all among those that it is taken to open, by what bash really does", () => {
    fc.assert(
      fc.property(command, (script) => {
        const { effects, opaque } = analyseShell(script, { cwd: root, home: "/home/u" });
        if (opaque) return;
        const named = effects.flatMap((effect) => (effect.do === "read" && !effect.tree ? [effect.path] : []));
        const trees = shownUnnamed(effects);
        const isTaken = (path: string) => named.includes(path) || trees.some(({ opens }) => opens(path));
        const missed = shown(script).filter((line) => FILES.includes(line) && !isTaken(join(root, line)));
        expect([script, missed]).toEqual([script, []]);
      }),
      { numRuns: 250 },
    );
  });

  it.each([
    ["cat *.md", "sub/c.pem", false],
    ["grep -r --include='*.md' x .", "sub/c.pem", false],
    ["grep -r --exclude='*.pem' x .", "sub/c.pem", false],
    ["find . -name '*.md' | xargs cat", "sub/c.pem", false],
    ["find . -type f -not -name '*.pem' | xargs cat", "sub/c.pem", false],
    ["grep -r --exclude='*.ts' --include='*.md' x .", "sub/c.pem", true],
    ["find . -name '*.md' -print -o -print | xargs cat", "sub/c.pem", true],
    ["grep -r --include='*.pem' --exclude='*.pem' --include='*.pem' x .", "sub/c.pem", true],
    ["ls -R", "sub/c.pem", false],
  ])("G17 F29 %s opens %s: %s", (script, path, isOpened) => {
    const { effects } = analyseShell(script, { cwd: root, home: "/home/u" });
    expect(shownUnnamed(effects).some(({ opens }) => opens(join(root, path)))).toBe(isOpened);
    expect(openedUnnamed(effects).some(({ opens }) => opens(join(root, path)))).toBe(isOpened);
  });

  it.each([
    "find . -name '*.md' | sed 's/a.md/c.pem/' | xargs cat",
    "rg -t md x",
    "find . -name '*.md' -exec cat {}.pem ';'",
    "tac $(find . -name '*.md').pem",
  ])("F29 %s is not taken to open some files only, where it counts as a reader", (script) => {
    const { effects, opaque } = analyseShell(script, { cwd: root, home: "/home/u" });
    expect(opaque || shownUnnamed(effects).some(({ opens }) => opens(join(root, "sub/c.pem")))).toBe(true);
  });
});
