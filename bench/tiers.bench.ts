/** A command in the tier `clone`: the first in 50,000 files, which lays the copy, and the next ones in 1,700 files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { openJournal } from "@haft/journal";
import { createCapture, variantsOf } from "@haft/journal/capture";
import { type Bound, effects, type RunRequest } from "../packages/core/src/tool/index.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ROUNDS = 20;
const FIRSTS = 3;
const unread: Bound = { effects: [effects.unknown("a bench")], holes: [] };

export async function tierFigures(): Promise<Figure[]> {
  const small = await times(1_700, ROUNDS);
  if (small === undefined) return [];
  const firsts: number[] = [];
  for (let round = 0; round < FIRSTS; round++) firsts.push((await times(50_000, 0))!.first);
  const say = (name: string, all: readonly number[]) =>
    console.log(`     ${name.padEnd(34)} least ${minimum(all).toFixed(0)} ms, median ${p50(all).toFixed(0)} ms`);
  say("clone, first command, 50,000 files", firsts);
  say("clone, next commands, 1,700 files", small.next);
  return [
    { name: "first command by clones in 50,000 files", value: minimum(firsts), unit: "ms", limit: 1500 },
    { name: "next commands by clones in 1,700 files, p50", value: p50(small.next), unit: "ms", limit: 60 },
  ];
}

/** The times in milliseconds of a first command and of `rounds` more; `undefined` where nothing can be mounted. */
async function times(files: number, rounds: number) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const root = join(base, "work");
  for (let file = 0; file < files; file++) {
    const folder = join(root, `d${file % 40}`, `e${file % 7}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${file}`), `line ${file}\n`.repeat(30));
  }
  // Flush what the set-up wrote, or the first command would wait for it too.
  execFileSync("sync");
  const capture = createCapture({ variants: variantsOf("clone") });
  const journal = openJournal({ folder: join(base, "journal"), root, capture });
  const processes = createProcesses({ around: capture.around });
  const command = async (turn: number) => {
    const from = performance.now();
    const request: RunRequest = { command: `echo ${turn} > d1/changed`, cwd: root, bound: unread };
    await journal.command({ id: `c${turn}`, tool: "Bash", turn, session: "s" }, request, (run) => processes.run(run));
    return performance.now() - from;
  };
  try {
    if (journal.whyNoView() !== undefined) return undefined;
    const first = await command(0);
    const next: number[] = [];
    for (let round = 1; round <= rounds; round++) next.push(await command(round));
    return { first, next };
  } finally {
    journal.close();
    await processes.close();
    rmSync(base, { recursive: true, force: true });
  }
}
