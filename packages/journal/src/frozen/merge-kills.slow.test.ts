import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Bench, benches, stateOf } from "../../test/support/journal.ts";
import { CHANGING_CALLS, canTrace, faultAt } from "../../test/support/placed-fault.ts";

/** `HAFT_PLACED=20` is the full size: the first so many calls of each kind. */
const CALLS = Number(process.env.HAFT_PLACED ?? 2);
const merger = join(import.meta.dirname, "../../test/support/journal-merger.ts");
const fresh = benches();
let kills = 0;
afterAll(() => {
  if (process.env.HAFT_PLACED) process.stderr.write(`Placed kills: ${kills}\n`);
});

/** Every change of type, each in a path of its own, and one file that both agents change in different lines. */
const scripts = ["one", "two"].map((who, at) =>
  [
    `rm ${who}/f1; mkdir ${who}/f1; echo ${who}-in > ${who}/f1/in; chmod 750 ${who}/f1`,
    `rm -r ${who}/d1; echo ${who}-file > ${who}/d1`,
    `rm -r ${who}/d2; ln -s f2 ${who}/d2`,
    `rm ${who}/l1; mkdir ${who}/l1; echo ${who}-deep > ${who}/l1/in`,
    `rm ${who}/l2; echo ${who}-plain > ${who}/l2`,
    `rm ${who}/gone; echo ${who}-new >> ${who}/f2; mkdir ${who}/empty; chmod 700 ${who}`,
    `sed -i 's/^line ${at === 0 ? 1 : 6}$/${who}-line/' both`,
  ].join("; "),
);
const words = ["in", "file", "deep", "plain", "new", "line"].flatMap((word) => [`one-${word}`, `two-${word}`]);

function prepared(): Bench & { readonly before: string } {
  const bench = fresh();
  const { root } = bench;
  execFileSync("git", ["init", "-q", root]);
  for (const who of ["one", "two"]) {
    for (const name of ["", "d1", "d2"]) mkdirSync(join(root, who, name), { recursive: true });
    for (const name of ["f1", "f2", "gone", "d1/x", "d2/x"]) writeFileSync(join(root, who, name), `old ${name}\n`);
    for (const name of ["l1", "l2"]) symlinkSync("f2", join(root, who, name));
  }
  writeFileSync(join(root, "both"), [1, 2, 3, 4, 5, 6].map((n) => `line ${n}\n`).join(""));
  return { ...bench, before: stateOf(root) };
}

const allTexts = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("");

async function killAt(call: string, when: number): Promise<boolean> {
  const { root, folder, before, reopen } = prepared();
  const where = `${call} ${when}`;
  const process = { script: merger, args: [root, folder, ...scripts] };
  const { wasHit, stderr } = await faultAt("kill", { ...process, call, when });
  if (!wasHit) expect(stderr, where).toBe("");
  const journal = reopen();
  const held = await journal.held();
  // Each agent's work is in the workspace or held.
  const texts = [root, ...held.map(({ view }) => `${view}/upper`)].map(allTexts).join("");
  expect(
    words.filter((word) => !texts.includes(word)),
    where,
  ).toEqual([]);
  expect(
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".haft-")),
    where,
  ).toEqual([]);
  const undone = await journal.undo({ all: true }).catch(({ code }: { code: string }) => code);
  if (undone !== "validation_failed") expect(undone, where).toMatchObject({ losses: [], kept: [] });
  expect(stateOf(root), where).toBe(before);
  for (const { id } of held) await journal.commitHeld(id);
  if (held.length > 0 && held.every(({ reason }) => reason === "killed"))
    expect(allTexts(root), where).toContain(held.length === 2 ? "one-in" : "two-in");
  if (wasHit) kills += 1;
  return wasHit;
}

describe.skipIf(!canTrace)("a merge of parallel agents that is killed at one system call", () => {
  it("S01 W07 loses no work of theirs and no path", { tags: ["smoke"], timeout: 60_000 }, async () => {
    expect(await killAt("rename", 3)).toBe(true);
  });

  it.each(CHANGING_CALLS)(
    "S01 W07 at %s loses no work of theirs and no path",
    { timeout: 60_000 + CALLS * 30_000 },
    async (call) => {
      for (let when = 1; when <= CALLS; when++) if (!(await killAt(call, when))) break;
    },
  );
});
