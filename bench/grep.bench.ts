/** Grep and Glob calls through the whole pipeline against bare ripgrep processes, on 50,000 files, in turns. */
import { execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRipgrep } from "@haft/host";
import { createHaft } from "haft";
import { type Figure, minimum, p50 } from "./measure.ts";

const FILES = 50_000;
const ROUNDS = 12;
const LIMIT = 1.15;
/** The least of either half is not of the same moment. */
const LEAST_LIMIT = 1.25;

export async function grepFigures(): Promise<Figure[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  try {
    makeTree(root);
    const rg = await createRipgrep({ workspace: root })();
    if (!rg) throw new Error("ripgrep is missing: npm install should have brought it");
    const haft = await createHaft({ cwd: root, settings: false, stateDir: false, loopGuard: false });
    const lines: Pair[] = [];
    const names: Pair[] = [];
    const newest: Pair[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pattern = `needle ${round}\\b`;
      lines.push({
        bare: await time(() => bareRipgrep(rg, ["--line-number", "--no-heading", "-e", pattern, "."], root)),
        ours: await time(() => grep(haft, { pattern, output_mode: "content" })),
      });
      names.push({
        bare: await time(() => bareRipgrep(rg, ["--files-with-matches", "-e", pattern, "."], root)),
        ours: await time(() => grep(haft, { pattern, output_mode: "files_with_matches" })),
      });
      newest.push({
        bare: await time(() => bareNewest(rg, root)),
        ours: await time(() => call(haft, "Glob", { pattern: "**/*.txt" })),
      });
    }
    return [
      ...figures("Grep, lines, against bare ripgrep", lines),
      ...figures("Grep, files, against bare ripgrep", names),
      ...figures("Glob, against ripgrep's list and the times of the files", newest),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Milliseconds of the same work, one right after the other. */
interface Pair {
  readonly bare: number;
  readonly ours: number;
}

/** Load from other processes mostly slows both halves of a pair alike. */
const figures = (name: string, pairs: readonly Pair[]): Figure[] => [
  { name: `${name}, p50`, value: p50(pairs.map(({ bare, ours }) => ours / bare)), unit: "×", limit: LIMIT },
  { name: "… least", value: leastOf(pairs, "ours") / leastOf(pairs, "bare"), unit: "×", limit: LEAST_LIMIT },
];

const leastOf = (pairs: readonly Pair[], half: keyof Pair): number => minimum(pairs.map((pair) => pair[half]));

function makeTree(root: string): void {
  const filler = "The quick brown fox jumps over the lazy dog, as foxes in examples must.\n".repeat(8);
  for (let index = 0; index < FILES; index++) {
    const folder = join(root, `d${index % 250}`);
    if (index < 250) mkdirSync(folder);
    writeFileSync(join(folder, `f${index}.txt`), `${filler}needle ${index % 1000}\n${filler}`);
  }
}

const grep = (haft: Host, input: object): Promise<void> => call(haft, "Grep", input);

type Host = Awaited<ReturnType<typeof createHaft>>;

async function call(haft: Host, tool: string, input: object): Promise<void> {
  const { error } = await haft.call(tool, input);
  if (error) throw new Error(error.message);
}

function bareRipgrep(path: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

/** What Glob has to do at least: the list, and the time of every file that fits. */
async function bareNewest(rg: string, cwd: string): Promise<void> {
  const list = execFileSync(rg, ["--files", "--hidden", "--null", "./"], { cwd, maxBuffer: 1e9, encoding: "utf8" });
  const times = list.split("\0").map((path) => lstatSync(join(cwd, path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (times.length <= FILES) throw new Error("files are missing");
}

async function time(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
