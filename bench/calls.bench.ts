/**
 * Calls through a whole Haft with its record, one on the heels of another, each in turns with the bare thing that it cannot
 * do without: what others do on the machine falls on both.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, type Haft } from "haft";
import { type Figure, p50 } from "./measure.ts";

const ROUNDS = 12;
/** Calls in a row, and bare ones behind them. */
const SERIES = 20;

/** Bubblewrap around a shell that does nothing, with namespaces of its own. */
const BWRAP = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"];

/** A passage that nearly stands in the file. */
const NEARLY = [
  "async function converse<R extends object>(",
  "  { talks }: ServedClients,",
  "  ctx: ServerContext,",
  "  params: object,",
].join("\n");

export async function callFigures(): Promise<Figure[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  const source = readFileSync(new URL("../packages/haft/src/server/mcp/server.ts", import.meta.url), "utf8");
  writeFileSync(join(cwd, "five.ts"), source.slice(0, 5_000));
  writeFileSync(join(cwd, "long.ts"), source.repeat(Math.ceil(80_000 / source.length)));
  const options = { cwd, home, stateDir: join(base, "state"), settings: false, loopGuard: false } as const;
  const haft = await createHaft({ ...options, rules: { allow: ["Bash", "Edit"] }, onNotice: () => {} });
  try {
    await haft.call("Read", { file_path: "long.ts" });
    const bash = await compared(bashCall(haft), () => exited("bwrap", [...BWRAP, "/bin/bash", "-c", "true"]));
    const read = await compared(readCall(haft), () => readFile(join(cwd, "five.ts"), "utf8"));
    const edit = await compared(editCall(haft), async () =>
      (await readFile(join(cwd, "long.ts"), "utf8")).split("\n").map((line) => line.match(/\w{3,}/g)),
    );
    return [
      ...figures("Bash, distinct commands back to back", "a bare bwrap", bash, 12, 2),
      ...figures("Read of 5 KB", "fs.readFile", read, 0.5, 8),
      ...figures("Edit that is not found, with the nearest passage", "reading its words", edit, 5, 8),
    ];
  } finally {
    await haft[Symbol.asyncDispose]();
    rmSync(base, { recursive: true, force: true });
  }
}

type Call = (count: number) => Promise<unknown>;

const bashCall =
  (haft: Haft): Call =>
  async (count) => {
    const { error } = await haft.call("Bash", { command: `echo ${count}` });
    if (error) throw new Error(error.message);
  };

const readCall =
  (haft: Haft): Call =>
  () =>
    haft.call("Read", { file_path: "five.ts" });

const editCall =
  (haft: Haft): Call =>
  async (count) => {
    const wish = { file_path: "long.ts", old_string: `${NEARLY} ${count}`, new_string: "x" };
    const { error } = await haft.call("Edit", wish);
    if (error?.code !== "match_not_found") throw new Error(`expected no match, got ${error?.code}`);
  };

interface Compared {
  readonly calls: readonly number[];
  readonly bare: readonly number[];
}

async function compared(call: Call, bare: () => Promise<unknown>): Promise<Compared> {
  const times: { calls: number[]; bare: number[] } = { calls: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 0; at < SERIES; at += 1) times.calls.push(await time(() => call(round * SERIES + at)));
    for (let at = 0; at < SERIES; at += 1) times.bare.push(await time(bare));
  }
  // The first calls load code.
  return { calls: times.calls.slice(2 * SERIES), bare: times.bare.slice(2 * SERIES) };
}

function figures(name: string, against: string, { calls, bare }: Compared, limit: number, ratio: number): Figure[] {
  const [ours, theirs] = [p50(calls), p50(bare)];
  return [
    { name: `${name}, p50 (load ${loadavg()[0]?.toFixed(1)})`, value: ours, unit: "ms", limit },
    { name: `… against ${against} (${theirs.toFixed(2)} ms)`, value: ours / theirs, unit: "×", limit: ratio },
  ];
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const exited = (program: string, args: readonly string[]): Promise<unknown> =>
  new Promise((resolve) => spawn(program, args, { stdio: "ignore" }).once("exit", resolve));
