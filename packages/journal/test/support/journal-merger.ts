// A process that freezes a workspace for two agents, lets both change it, and merges both. It can be killed at a chosen
// system call. Arguments: root, journal folder, and the scripts of the agents. It begins when it is told to, by a line.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";

const [root = "", folder = "", ...scripts] = process.argv.slice(2);
const journal = openJournal({ folder, root, capture: createCapture({ variants: [] }) });
const call = (at: number) => ({ id: `a${at}`, tool: "Agent", turn: 1, session: "s1" });
const copies = await Promise.all(scripts.map((_, at) => journal.freeze(call(at))));
for (const [at, { root: cwd }] of copies.entries()) execFileSync("/bin/sh", ["-c", scripts[at] ?? ""], { cwd });
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
for (const copy of copies) {
  const { failed } = await journal.merge(copy, copy.owner);
  for (const { path, why } of failed) process.stderr.write(`${path}: ${why}\n`);
}
journal.close();
