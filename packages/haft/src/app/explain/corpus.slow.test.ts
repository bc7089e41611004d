import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { createHaft } from "../create-haft.ts";

// Lists of commands, one a line: what changes, leaks, connects or runs what nobody knows; what usual and unusual work in a project
// only reads with. The blind ones were written by somebody who had not looked at how commands are judged; the real ones agents were
// recorded to issue, in a project that is called /workspace. Line breaks and other characters that a line cannot hold are written as pictures.
const PICTURES: Readonly<Record<string, string>> = { "␤": "\n", "␍": "\r", "␉": "\t", "␀": "\0" };
const listed = (name: string): string[] =>
  readFileSync(new URL(`../../../../shell/test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/[␤␍␉␀]/g, (picture) => PICTURES[picture]!));

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-corpus-")));
  const project = join(base, "home", "project");
  for (const folder of ["src", "docs", "data", "evil"]) mkdirSync(join(project, folder), { recursive: true });
  for (const name of [
    "a",
    "b",
    "package.json",
    "src/a.ts",
    "data.json",
    "README.md",
    ".env",
    "run.sh",
    "key.pem",
    "list",
    "evil.db",
  ])
    writeFileSync(join(project, name), "x\n");
  symlinkSync(".env", join(project, "linkenv"));
  symlinkSync("../.ssh", join(project, "linkdir"));
  execFileSync("git", ["init", "-q"], { cwd: project });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Those of the commands that are allowed unasked in mode default. */
async function allowed(commands: readonly string[], trusted: boolean): Promise<string[]> {
  const cwd = join(base, "home", "project");
  const options = { cwd, home: join(base, "home"), stateDir: false, settings: false, env: {}, trusted } as const;
  await using haft = await createHaft(options);
  const found: string[] = [];
  for (const command of commands) {
    const { decision } = await haft.explain("Bash", { command: command.replaceAll("/workspace", cwd) });
    if (decision?.decision === "allow") found.push(command);
  }
  return found;
}

describe("commands by the thousand, decided as explain does", () => {
  it.each([
    ["asked", 2_000, true],
    ["asked", 2_000, false],
    ["blind-asked", 1_800, true],
    ["blind-asked", 1_800, false],
    ["third-asked", 85, true],
    ["third-asked", 85, false],
    ["real-changing", 340, true],
    ["real-changing", 340, false],
  ] as const)(
    "G07 nothing of %s, which acts or leaks, is allowed unasked (%i at least, trusted %s)",
    { tags: ["smoke"], timeout: 60_000 },
    async (name, least, trusted) => {
      const all = listed(name);
      expect(all.length).toBeGreaterThan(least);
      expect(await allowed(all.slice(0, runs(all.length)), trusted)).toEqual([]);
    },
  );

  it.each([
    ["usual", 350, 0.985],
    ["unusual", 350, 0.97],
    ["blind-usual", 550, 0.98],
    ["blind-unusual", 400, 0.88],
    ["third-usual", 650, 0.93],
    ["third-unusual", 600, 0.8],
    ["real-readers", 550, 0.97],
  ] as const)("G01 %s reading is not interrupted", async (name, least, share) => {
    const all = listed(name);
    expect(all.length).toBeGreaterThan(least);
    expect((await allowed(all, true)).length / all.length).toBeGreaterThan(share);
  });
});
