import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digest } from "../test/support/changes.ts";
import { analyseShell, isStaticReader } from "./index.ts";
import { fileReaders } from "./reader/file-tables.ts";
import { gitReaders } from "./reader/git/git-tables.ts";
import type { OptionTable } from "./reader/options.ts";
import { textReaders } from "./reader/text-tables.ts";

// The judgement against the programs themselves: whatever is called a reader is run in a scratch repository, which must stay as it was.
let top: string;
let repo: string;
const environment = (): NodeJS.ProcessEnv => ({
  PATH: "/usr/bin:/bin",
  HOME: top,
  ...Object.fromEntries(
    "AUTHOR COMMITTER".split(" ").flatMap((who) => [
      [`GIT_${who}_NAME`, "a"],
      [`GIT_${who}_EMAIL`, "a@b"],
    ]),
  ),
});

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "haft-oracle-"));
  repo = join(top, "repo");
  mkdirSync(repo);
  const setup = `printf 'b 2\\na 1\\n' > a; echo '{"a":1}' > j.json; mkdir sub; echo x > sub/x; ln -s a l; git init -q; git add .
    git commit -qm one; git tag v1; git branch other; echo y >> a; git stash -q; echo z >> sub/x`;
  execFileSync("bash", ["-c", setup], { cwd: repo, env: environment(), stdio: "pipe" });
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

function run(commands: readonly string[]): void {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const script = commands
    .map((one) => `timeout 2 bash --noprofile --norc -c ${quote(one)} </dev/null >/dev/null 2>&1`)
    .join("\n");
  const env = { ...environment(), ...analyseShell("git log; rg x", { cwd: repo, home: top }).env };
  spawnSync("bash", ["--noprofile", "--norc", "-c", script], { cwd: repo, env, timeout: 15_000 });
}

/** Runs what is judged a reader and gives back the first batch that changed something. */
function firstChange(candidates: readonly string[]): readonly string[] {
  const before = digest(top);
  for (let at = 0; at < candidates.length; at += 40) {
    const batch = candidates.slice(at, at + 40);
    run(batch);
    if (digest(top) !== before) return batch;
  }
  return [];
}

const place = () => ({ cwd: repo, home: top });
const SKIPPED = new Set(["tail", "fd", "rg", "tree", "gofmt"]);

/** Options of a program by its table, and words by which programs have been made to write or run something. */
function soup(name: string, table: OptionTable): fc.Arbitrary<string> {
  const option = fc.constantFrom(...table.names.keys(), "-n");
  const evil = fc.constantFrom(
    "-o",
    "OUT",
    "-oOUT",
    "--output=OUT",
    "-w",
    "-i",
    "-delete",
    "--pre=touch",
    "--compress-program=touch",
    "touch",
    "-D",
    "-f",
    "--",
  );
  const plain = fc.constantFrom(
    "a",
    "sub/x",
    "sub",
    "j.json",
    "l",
    ".",
    "HEAD",
    "v1",
    "other",
    "1",
    "-",
    "*",
    "'s/a/b/w OUT'",
    "'{print > \"OUT\"}'",
    "1p",
  );
  const word = fc.oneof(
    option,
    plain,
    evil,
    fc.tuple(option, evil).map(([one, two]) => (one.startsWith("--") ? `${one}=${two}` : one + two)),
  );
  return fc.array(word, { maxLength: 4 }).map((words) => [name, ...words].join(" "));
}

describe("readers against the real programs", () => {
  it("G01 option soup that is judged a reader changes nothing", { timeout: 30_000 }, () => {
    const tables = Object.entries({ ...textReaders, ...fileReaders }).filter(([name]) => !SKIPPED.has(name));
    const programs = fc.oneof(...tables.map(([name, { options }]) => soup(name, options)));
    const candidates = fc
      .sample(programs, { numRuns: 900, seed: 3 })
      .filter((command) => isStaticReader(command, place()));
    expect(candidates.length).toBeGreaterThan(200);
    expect(firstChange(candidates.slice(0, 240))).toEqual([]);
  });

  it("G02 git option soup that is judged a reader changes nothing", { timeout: 30_000 }, () => {
    const programs = fc.oneof(...Object.entries(gitReaders).map(([name, { options }]) => soup(`git ${name}`, options)));
    const candidates = fc
      .sample(programs, { numRuns: 600, seed: 5 })
      .filter((command) => isStaticReader(command, place()));
    expect(candidates.length).toBeGreaterThan(80);
    expect(firstChange(candidates.slice(0, 120))).toEqual([]);
  });

  it("G07 the oracle would notice: a hostile twin changes the repository", { tags: ["smoke"] }, () => {
    const before = digest(top);
    for (const command of ["uniq a OUT", "sort -o OUT a", "sed -n 1p '-ew OUT' a", "git branch x", "xxd sub/x -i"]) {
      expect([command, isStaticReader(command, place())]).toEqual([command, false]);
      run([command]);
      expect(digest(top)).not.toBe(before);
      execFileSync("bash", ["-c", "rm -f OUT -- -i; git branch -qD x 2>/dev/null; true"], {
        cwd: repo,
        env: environment(),
      });
    }
  });
});
