// Merges the copies of two agents on a file system that fills up at every possible moment, as `full-disk.ts` does with
// other work. Each merge runs in a process of its own; the next one finds what it leaves.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../src/index.ts";
import { stateOf } from "./journal.ts";

const [step = "16", from = "0", to = "100", place = ""] = process.argv.slice(2);
const base = realpathSync(place);
const [root, folder, filler] = ["work", "journal", "filler"].map((name) => join(base, name)) as [
  string,
  string,
  string,
];
const merger = join(import.meta.dirname, "journal-merger.ts");
const OLD = "old ".repeat(2_000);
const scripts = ["one", "two"].map(
  (who) => `printf '${who} %.0s' $(seq 3000) > ${who}; mkdir d${who}; cp ${who} d${who}/in`,
);
let full = 0;

const complain = (what: string, details: object = {}) =>
  process.stdout.write(`${JSON.stringify({ what, ...details })}\n`);

function fillUpTo(kib: number): void {
  const { bavail, bsize } = statfsSync(base);
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - kib * 1024)));
  } catch {
    // Fuller than full.
  }
}

async function mergeOn(kib: number): Promise<string> {
  const args = ["--conditions=haft-source", merger, root, folder, ...scripts];
  const child = spawn(process.execPath, args, { stdio: "pipe" });
  let said = "";
  child.stderr.on("data", (data) => {
    said += data;
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  fillUpTo(kib);
  child.stdin.on("error", () => undefined);
  child.stdin.write("go\n");
  await ended;
  return said;
}

const textsIn = (top: string): readonly string[] =>
  readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((name) => join(top, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, "utf8"));

async function tryAt(kib: number): Promise<void> {
  for (const path of [root, folder, filler]) rmSync(path, { recursive: true, force: true });
  mkdirSync(root);
  for (const name of ["one", "two", "three"]) writeFileSync(join(root, name), OLD);
  const before = stateOf(root);
  const said = await mergeOn(kib);
  if (said !== "") full += 1;
  if (said !== "" && !/ENOSPC|no_space|disk is full|no space/i.test(said))
    complain("an error that says nothing of the disk", { kib, said });
  const whole = new Set([OLD, ...["one", "two"].map((who) => `${who} `.repeat(3_000))]);
  for (const text of textsIn(root)) if (!whole.has(text)) complain("half a file", { kib, length: text.length });
  rmSync(filler, { force: true });
  const journal = openJournal({ folder, root });
  const held = await journal.held();
  const texts = [root, ...held.map(({ view }) => `${view}/upper`)].flatMap(textsIn);
  for (const who of ["one", "two"]) {
    const copies = texts.filter((text) => text === `${who} `.repeat(3_000)).length;
    if (copies < 2) complain("work of an agent is lost", { kib, who, copies });
  }
  for (const { id } of held) await journal.commitHeld(id);
  for (let round = 0; round < 4; round++) await journal.undo({ all: true }).catch(() => undefined);
  if (stateOf(root) !== before) complain("undo did not bring everything back", { kib });
  journal.close();
}

for (let kib = Number(from); kib <= Number(to); kib += Number(step)) await tryAt(kib);
process.stdout.write(`${JSON.stringify({ done: { no_space: full } })}\n`);
process.exit(0);
