/** A Grep call through the whole pipeline against a bare ripgrep process, on 50,000 files, in turns. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRipgrep } from "@haft/tools";
import { createHaft } from "haft";
import { type Figure, minimum } from "./measure.ts";

const FILES = 50_000;
const ROUNDS = 12;

export async function grepFigures(): Promise<Figure[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  try {
    makeTree(root);
    const rg = await createRipgrep({ workspace: root })();
    if (!rg) throw new Error("ripgrep is missing: npm install should have brought it");
    const haft = await createHaft({ cwd: root, settings: false, stateDir: false });
    const [ours, bare, ourFiles, bareFiles]: number[][] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      // A new pattern each time, or the loop guard would rightly object.
      const pattern = `needle ${round}\\b`;
      bare!.push(await time(() => bareRipgrep(rg, ["--line-number", "--no-heading", "-e", pattern, "."], root)));
      ours!.push(await time(() => grep(haft, { pattern, output_mode: "content" })));
      bareFiles!.push(await time(() => bareRipgrep(rg, ["--files-with-matches", "-e", pattern, "."], root)));
      ourFiles!.push(await time(() => grep(haft, { pattern, output_mode: "files_with_matches" })));
    }
    return [
      { name: "Grep, lines, against bare ripgrep", value: minimum(ours!) / minimum(bare!), unit: "×", limit: 1.25 },
      {
        name: "Grep, files, against bare ripgrep",
        value: minimum(ourFiles!) / minimum(bareFiles!),
        unit: "×",
        limit: 1.25,
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function makeTree(root: string): void {
  const filler = "The quick brown fox jumps over the lazy dog, as foxes in examples must.\n".repeat(8);
  for (let index = 0; index < FILES; index++) {
    const folder = join(root, `d${index % 250}`);
    if (index < 250) mkdirSync(folder);
    writeFileSync(join(folder, `f${index}.txt`), `${filler}needle ${index % 1000}\n${filler}`);
  }
}

async function grep(haft: Awaited<ReturnType<typeof createHaft>>, input: object): Promise<void> {
  const { error } = await haft.call("Grep", input);
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

async function time(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
