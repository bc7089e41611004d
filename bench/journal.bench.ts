/** The cost of keeping changes: a command in a view against the same without, interleaved; and committing 1,000 changes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { openJournal } from "@haft/journal";
import { createCapture } from "@haft/journal/capture";
import { type Bound, effects, type RunRequest } from "../packages/core/src/tool/index.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ROUNDS = 30;
const COMMITS = 20;
const FILES = 1_000;
const unread: Bound = { effects: [effects.unknown("a bench")], holes: [] };

export async function journalFigures(): Promise<Figure[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const root = join(base, "work");
  for (let file = 0; file < FILES; file++) {
    mkdirSync(join(root, `d${file % 20}`), { recursive: true });
    writeFileSync(join(root, `d${file % 20}/f${file}`), `line ${file}\n`.repeat(50));
  }
  // Flush what the set-up wrote, or the journal would wait for it too.
  execFileSync("sync");
  const capture = createCapture();
  const journal = openJournal({ folder: join(base, "journal"), root, capture });
  const processes = createProcesses({ around: capture.around });
  if (journal.whyNoView() !== undefined) return [];
  let ended = 0;
  const run = async (request: RunRequest) => {
    const outcome = await processes.run(request);
    ended = performance.now();
    return outcome;
  };
  const captured = (command: string, turn: number) =>
    journal.command({ id: `c${turn}`, tool: "Bash", turn, session: "s" }, { command, cwd: root, bound: unread }, run);
  const plain: number[] = [];
  const viewed: number[] = [];
  const commits: number[] = [];
  try {
    await captured("true", 0);
    for (let round = 1; round <= ROUNDS; round++) {
      let from = performance.now();
      await processes.run({ command: "echo x > changed", cwd: root });
      plain.push(performance.now() - from);
      from = performance.now();
      await captured(`echo ${round} > changed`, round);
      viewed.push(performance.now() - from);
    }
    for (let round = 0; round < COMMITS; round++) {
      await captured(`for f in */f*; do echo ${round} >> $f; done`, ROUNDS + round);
      commits.push(performance.now() - ended);
    }
  } finally {
    journal.close();
    await processes.close();
    rmSync(base, { recursive: true, force: true });
  }
  const say = (name: string, all: readonly number[]) =>
    console.log(`     ${name.padEnd(24)} least ${minimum(all).toFixed(1)} ms, median ${p50(all).toFixed(1)} ms`);
  say("a command, plain", plain);
  say("a command, captured", viewed);
  say(`commit of ${FILES} files`, commits);
  console.log(`     at a load of ${loadavg()[0]?.toFixed(1)}`);
  return [
    { name: "capture of a command, over plain", value: minimum(viewed) - minimum(plain), unit: "ms", limit: 8 },
    { name: `commit of ${FILES} changed files`, value: minimum(commits), unit: "ms", limit: 100 },
  ];
}
