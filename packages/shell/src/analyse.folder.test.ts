import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-folder-")));
  mkdirSync(join(cwd, "a b/deep"), { recursive: true });
  symlinkSync("a b/deep", join(cwd, "link"));
  for (const folder of [".", "a b", "a b/deep"]) writeFileSync(join(cwd, folder, "f"), `${folder}\n`);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const analyse = (script: string) => analyseShell(script, { cwd, home: "/home/u", env: {} });

/** The files that a script is foreseen to read, and what bash prints of each. */
function readsOf(script: string): readonly string[] {
  const { opaque, effects } = analyse(script);
  return opaque ? ["opaque"] : effects.flatMap((one) => (one.do === "read" ? [one.path] : []));
}
const printed = (script: string): string =>
  execFileSync("bash", ["--norc", "-c", script], { cwd, encoding: "utf8", env: { PATH: process.env.PATH ?? "" } });

describe("the folder that pwd prints", () => {
  it.each([
    ['cat "$(pwd)/f"', "f"],
    ["cat `pwd -L`/f", "f"],
    ['D=$(pwd 2>/dev/null); cat "$D/a b/f"', "a b/f"],
    ['cd "a b" && cat "$(pwd)/f"', "a b/f"],
    ['cd "a b"; cd deep; cat "$(pwd)/../f"', "a b/f"],
    ['for d in "$(pwd)/a b"; do cat "$d/f"; done', "a b/f"],
    ['(cd "a b/deep"); cat "$(pwd)/f"', "f"],
  ])("G01 G07 is known in %s", (script, file) => {
    expect(readsOf(script)).toContain(join(cwd, file));
    expect(printed(script)).toBe(printed(`cat '${file}'`));
  });

  it.each([
    'cd link; cat "$(pwd -P)/../f"',
    'cd link; cat "$(env pwd)/../f"',
    'cd link; cat "$(command pwd -P)/../f"',
    'cd link; cat "$(/bin/pwd)/../f"',
    'set -P; cd link; cat "$(pwd)/../f"',
    'pwd() { echo /etc; }; cat "$(pwd)/shadow"',
    'cat "$(pwd >/dev/null)/etc/shadow"',
    'cat "$(pwd; echo /etc)/shadow"',
    'cat "$(cd $X && pwd)/f"',
    'cd "$X"; cat "$(pwd)/f"',
    '"$(pwd)/f"',
  ])("G03 G07 is not taken for the shell's in %s", (script) => {
    expect(analyse(script).opaque).toBe(true);
  });

  it("G07 is the one outside where the script goes there", () => {
    expect(readsOf('cd /etc; cat "$(pwd)/shadow"')).toContain("/etc/shadow");
    expect(readsOf('cat "$(pwd)/../x"')).toContain(join(cwd, "../x"));
  });
});
