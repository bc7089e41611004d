import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

// Lists of commands, one a line: what changes, leaks, connects or runs what nobody knows; what usual and unusual work in a project
// only reads with. Line breaks and other characters that a line cannot hold are written as pictures.
const PICTURES: Readonly<Record<string, string>> = { "␤": "\n", "␍": "\r", "␉": "\t", "␀": "\0" };
const listed = (name: string): string[] =>
  readFileSync(new URL(`../../../../tools/test/shell/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/[␤␍␉␀]/g, (picture) => PICTURES[picture]!));

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-corpus-")));
  mkdirSync(join(base, "home", "project", "src"), { recursive: true });
  mkdirSync(join(base, "home", "project", "docs"));
  for (const name of ["a", "b", "package.json", "src/a.ts", "data.json"])
    writeFileSync(join(base, "home", "project", name), "x\n");
  execFileSync("git", ["init", "-q"], { cwd: join(base, "home", "project") });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The commands of a list that are allowed unasked in mode default. */
async function allowed(name: string, trusted: boolean): Promise<string[]> {
  const cwd = join(base, "home", "project");
  const options = { cwd, home: join(base, "home"), stateDir: false, settings: false, env: {}, trusted } as const;
  await using haft = await createHaft(options);
  const found: string[] = [];
  for (const command of listed(name)) {
    const { decision } = await haft.explain("Bash", { command });
    if (decision?.decision === "allow") found.push(command);
  }
  return found;
}

describe("commands by the thousand, decided as explain does", () => {
  it.each([true, false])(
    "G07 nothing that acts or leaks is allowed unasked, trusted %s",
    async (trusted) => {
      expect(listed("asked").length).toBeGreaterThan(2_000);
      expect(await allowed("asked", trusted)).toEqual([]);
    },
    60_000,
  );

  it.each([
    ["usual", 350, 0.97],
    ["unusual", 350, 0.95],
  ] as const)("G01 %s reading is not interrupted", async (name, least, share) => {
    const all = listed(name);
    expect(all.length).toBeGreaterThan(least);
    expect((await allowed(name, true)).length / all.length).toBeGreaterThan(share);
  });
});
