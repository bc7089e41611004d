/**
 * A command in the tier `clone`: the first in 50,000 files, which lays the copy, and the next ones in 1,700 files. In each
 * tier the undo of 20,000 deletions.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { type HostJournal, openJournal } from "@haft/journal";
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
  const undos = await undoFigures();
  return [
    { name: "first command by clones in 50,000 files", value: minimum(firsts), unit: "ms", limit: 1500 },
    { name: "next commands by clones in 1,700 files, p50", value: p50(small.next), unit: "ms", limit: 60 },
    ...undos,
  ];
}

/** Without views and clones the files are written again, so there the disk is the measure. */
async function undoFigures(): Promise<Figure[]> {
  const [view, clone, direct] = [await undoTimes("view"), await undoTimes("clone"), await undoTimes("direct")];
  const [fast, name] = [{ unit: "ms", limit: 3_000 }, "undo of 20,000 deletions"];
  return [
    ...(view ? [{ name: `${name}, view`, value: view.undo, ...fast }] : []),
    ...(clone ? [{ name: `${name}, clone`, value: clone.undo, ...fast }] : []),
    ...(direct
      ? [{ name: `${name}, direct, against writing`, value: direct.undo / direct.writing, unit: "×", limit: 4 }]
      : []),
  ];
}

/** The times in milliseconds of a first command and of `rounds` more; `undefined` where nothing can be mounted. */
const times = (files: number, rounds: number) =>
  inWorkspace("clone", files, async ({ command }) => {
    const first = await command(0, "echo 0 > d1/changed");
    const next: number[] = [];
    for (let round = 1; round <= rounds; round++) next.push(await command(round, `echo ${round} > d1/changed`));
    return { first, next };
  });

/** The milliseconds in which 20,000 files are written, and in which undo gives them back after a command deleted them. */
const undoTimes = (tier: Tier) =>
  inWorkspace(tier, 20_000, async ({ command, journal, writing }) => {
    await command(1, "find . -type f -delete");
    execFileSync("sync");
    const from = performance.now();
    const { losses } = await journal.undo();
    if (losses.length > 0) throw new Error(`${losses.length} files were not given back.`);
    return { undo: performance.now() - from, writing };
  });

type Tier = "view" | "clone" | "direct";

interface Workspace {
  readonly journal: HostJournal;
  /** The milliseconds in which its files were written. */
  readonly writing: number;
  /** Runs a command and returns its milliseconds. */
  command(turn: number, text: string): Promise<number>;
}

async function inWorkspace<T>(tier: Tier, files: number, act: (workspace: Workspace) => Promise<T>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const root = join(base, "work");
  const begin = performance.now();
  for (let file = 0; file < files; file++) {
    const folder = join(root, `d${file % 40}`, `e${file % 7}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${file}`), `line ${file}\n`.repeat(30));
  }
  const writing = performance.now() - begin;
  // Flush what the set-up wrote, or the first command would wait for it too.
  execFileSync("sync");
  const capture = createCapture({ variants: variantsOf(tier) });
  const journal = openJournal({ folder: join(base, "journal"), root, capture });
  const processes = createProcesses({ around: capture.around });
  const command = async (turn: number, text: string) => {
    const from = performance.now();
    const request: RunRequest = { command: text, cwd: root, bound: unread };
    await journal.command({ id: `c${turn}`, tool: "Bash", turn, session: "s" }, request, (run) => processes.run(run));
    return performance.now() - from;
  };
  try {
    return tier !== "direct" && journal.whyNoView() !== undefined
      ? undefined
      : await act({ journal, command, writing });
  } finally {
    await journal.close();
    await processes.close();
    rmSync(base, { recursive: true, force: true });
  }
}
