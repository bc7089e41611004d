import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digest, firstChange, type Pen, runPenned } from "../test/support/changes.ts";
import { analyseShell, isStaticReader } from "./index.ts";

// The corpora against the programs themselves, in a repository with names that somebody chose to be taken for something else.
let pen: Pen;
const HOSTILE_NAMES = [
  ...[
    "-opwned",
    "-delete",
    "-ewpwned.ts",
    "-i",
    "--output=pwned",
    "--pre=touch",
    "--files0-from=a",
    "-exec",
    "e.ts -opwned",
  ],
  ...[
    "a\n-opwned",
    "src/x\n-opwned",
    "src/--output=pwned",
    "src/-ewpwned.ts",
    "src/$(touch pwned)",
    "src/;touch pwned;",
    "src/a b.ts",
  ],
];

beforeAll(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "haft-corpus-oracle-")));
  const cwd = join(top, "repo");
  for (const folder of ["src", "docs", "tests", "logs", "data", "packages/a", "node_modules/x", "../.npm"])
    mkdirSync(join(cwd, folder), { recursive: true });
  for (const name of [
    "a",
    "b",
    "a.txt",
    "README.md",
    "src/a.ts",
    "src/index.ts",
    "src/app.ts",
    "logs/app.log",
    "docs/guide.md",
    ...HOSTILE_NAMES,
  ])
    writeFileSync(join(cwd, name), "b 2\na 1\nTODO foo main\n", { flag: "w" });
  for (const name of [
    "package.json",
    "data.json",
    "tsconfig.json",
    "packages/a/package.json",
    "node_modules/x/package.json",
  ])
    writeFileSync(
      join(cwd, name),
      '{"name":"x","version":"1.0.0","scripts":{"test":"touch pwned"},"dependencies":{}}\n',
    );
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "a"],
      [`GIT_${who}_EMAIL`, "a@b"],
    ]),
  );
  const setup =
    "git init -q -b main; git add -A; git commit -qm one; git tag v1; echo x >> a; git commit -qam two; git branch other; echo y >> b";
  execFileSync("bash", ["-c", setup], { cwd, env: { PATH: "/usr/bin:/bin", HOME: top, ...env }, stdio: "pipe" });
  pen = {
    top,
    cwd,
    env: { ...analyseShell("git log; rg x; npm ls; pip list; go version; nm a", { cwd, home: top }).env },
  };
});
afterAll(() => rmSync(pen.top, { recursive: true, force: true }));

const PICTURES: Readonly<Record<string, string>> = { "␤": "\n", "␉": "\t" };
const lines = (name: string): string[] =>
  readFileSync(new URL(`../test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/[␤␉]/g, (picture) => PICTURES[picture] ?? picture));

// They wait for something, and are ended after two seconds each.
const WAITS =
  /\b(tail -[a-zA-Z]*[fF]|tail --follow|sleep|yes|watch|journalctl -[a-z]*f|top\b|vmstat|iostat|mpstat|stdin)\b|^(cat|sort|wc|xargs)$/;

/** All of them take a minute. */
const PARTS = Number(process.env.HAFT_ORACLE_PARTS ?? 6);

const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]).status === 0;

describe.runIf(works)("corpora that are read unasked, really run", () => {
  it.each(["usual", "unusual", "blind-usual", "blind-unusual", "real-readers", "broad-usual", "broad-unusual"])(
    "G01 %s commands change nothing, with any names of files",
    { timeout: 120_000 },
    (name) => {
      const here = lines(name).map((command) => command.replaceAll("/workspace", pen.cwd));
      const readers = here.filter((command) => isStaticReader(command, { cwd: pen.cwd, home: pen.top }));
      // A part of them each time, another one wherever no seed is set.
      const { seed = Date.now() } = fc.readConfigureGlobal() ?? {};
      const some = readers.filter((command, index) => (index + seed) % PARTS === 0 && !WAITS.test(command));
      expect(readers.length).toBeGreaterThan(200);
      expect(firstChange(some, pen)).toEqual([]);
    },
  );

  it("G07 the oracle would notice: a command that is asked about because of such names changes something", {
    tags: ["smoke"],
    timeout: 30_000,
  }, () => {
    for (const command of [
      "cd src; sort a.ts *=pwned",
      'for f in src/*; do sed -n 1p "$f"; done; cd src; for f in *; do sed -n 1p "$f" x; done',
      'find src -type f | while IFS= read -r f; do sort "$f"; done',
    ]) {
      expect([command, isStaticReader(command, { cwd: pen.cwd, home: pen.top })]).toEqual([command, false]);
      const before = digest(pen.top);
      runPenned([command], pen);
      expect([command, digest(pen.top) === before]).toEqual([command, false]);
      execFileSync("bash", ["-c", "rm -f pwned pwned.ts src/pwned src/pwned.ts; git checkout -q -- src"], {
        cwd: pen.cwd,
      });
    }
  });
});
