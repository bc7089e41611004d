import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";

const { files } = createHost({ cwd: "/" }).ports;
let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-trees-")));
  for (const folder of [
    "none/src/deep",
    "inside/src/deep",
    "aside/src",
    "aside/lib",
    "out/src/deep",
    "broken/src",
    "up/src",
    "twice/src",
  ])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, "none/src/a.ts"), "x\n");
  symlinkSync("../../src", join(base, "inside/src/deep/again"));
  symlinkSync("../lib", join(base, "aside/src/lib"));
  symlinkSync("/etc", join(base, "out/src/deep/conf"));
  symlinkSync("nowhere", join(base, "broken/src/gone"));
  symlinkSync("../..", join(base, "up/src/up"));
  // A neighbour whose name begins with that of the folder.
  mkdirSync(join(base, "twice/src-other"));
  symlinkSync("../src-other", join(base, "twice/src/other"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const looksAt = async (script: string, folder: string): Promise<readonly string[]> => {
  const { opaque, effects } = await analyseInPlace(script, { cwd: join(base, folder), home: base }, files);
  return opaque ? ["?"] : effects.flatMap((effect) => (effect.do === "read" && effect.tree ? [effect.path] : []));
};
const FOLLOWING = [
  ...["grep -R x src", "grep -Rn x ./src | head", "rg -L x src", "find -L src -name x", "ls -RL src", "du -L src"],
  ...["tree -l src", "fd -L x src", "find -L src -name '*.ts' -exec wc -l {} +", "cd src && grep -R x"],
];

describe("a program that follows the links of a tree", () => {
  it.each(FOLLOWING)("G01 G07 %s reads that tree where none leads out of it, and else anything", async (script) => {
    for (const folder of ["none", "inside"])
      expect([folder, ...new Set(await looksAt(script, folder))]).toEqual([folder, join(base, folder, "src")]);
    for (const folder of ["aside", "out", "broken", "up", "twice"])
      expect([folder, await looksAt(script, folder)]).toEqual([folder, expect.arrayContaining(["/"])]);
  });

  it("G01 a link to another part of what is read leads nowhere else", async () => {
    expect(await looksAt("grep -R x .", "aside")).toEqual([join(base, "aside")]);
    expect(await looksAt("grep -R x src lib", "aside")).toContain("/");
    expect(await looksAt("grep -R x src/a.ts src", "none")).not.toContain("/");
  });

  it.each([
    "ln -s /etc src/e; grep -R x src",
    "grep -R x src > src/out",
    "grep -R x src missing",
    "grep -R x src; ./make-links",
    "mv a src; find -L src",
    "grep -R x $DIR",
  ])("G07 %s is not proved by a look before it", async (script) => {
    const { opaque, effects } = await analyseInPlace(script, { cwd: join(base, "none"), home: base }, files);
    expect(opaque || effects.some((effect) => effect.do === "read" && effect.path === "/")).toBe(true);
  });
});
