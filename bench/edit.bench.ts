/**
 * An edit of a 2,000-line file: the tool on the host's real files, a whole call, a whole call with its record and its
 * way back, and a passage that is not there. A bare replacement, fsync included, is measured in turns with the tool: a
 * file system that has much to do for a new file is slow for both.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { createHaft } from "haft";
import { type Figure, minimum, p50 } from "./measure.ts";

const LINES = 2000;
const ROUNDS = 200;
const WARM_UP = 20;

export async function editFigures(): Promise<Figure[]> {
  const own = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const root = join(own, "work");
  const file = join(root, "file.ts");
  mkdirSync(root);
  try {
    const { tool, bare } = await toolSamples(root, file);
    const [call, missing] = await callSamples(root, file, false);
    const [kept] = await callSamples(root, file, join(own, "state"));
    const load = loadavg()[0]?.toFixed(1);
    return [
      ...figures("Edit of 2,000 lines, the tool with its files", tool, 2),
      {
        name: `… against a bare replacement (${shown(bare)} ms), p50`,
        value: against(tool, bare),
        unit: "×",
        limit: 4,
      },
      ...figures("Edit of 2,000 lines, a whole call", call, 2),
      ...figures("Edit of 2,000 lines, with record and journal", kept, 4.5),
      ...figures(`Edit of a passage that is not there (load ${load})`, missing, 20),
    ];
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

interface Samples {
  readonly times: readonly number[];
  /** Processor time of all threads, in milliseconds a round. */
  readonly processor: number;
}

const figures = (name: string, { times, processor }: Samples, limit: number): Figure[] => [
  { name: `${name}, p50`, value: quietP50(times), unit: "ms", limit },
  { name: `… least (p50 of all rounds: ${p50(times).toFixed(2)})`, value: minimum(times), unit: "ms", limit },
  // CPU time of all threads, some of which work at the same time.
  { name: "… processor time", value: processor, unit: "ms", limit: limit * 1.25 },
];

/** Rounds in a row that count as a stretch of time. */
const STRETCH = 20;

/** The p50 of the quietest stretch: what others do on a shared machine comes and goes, the tool is always the same. */
const quietP50 = (times: readonly number[]): number =>
  minimum(Array.from({ length: times.length - STRETCH + 1 }, (_, from) => p50(times.slice(from, from + STRETCH))));

const shown = (samples: Samples): string => p50(samples.times).toFixed(2);
const against = (ours: Samples, bare: Samples): number => p50(ours.times) / p50(bare.times);

async function callSamples(
  root: string,
  file: string,
  stateDir: string | false,
): Promise<[call: Samples, missing: Samples]> {
  writeFileSync(file, source());
  const haft = await createHaft({ cwd: root, settings: false, stateDir, mode: "acceptEdits", loopGuard: false });
  const edit = (wish: object) => haft.call("Edit", { file_path: file, ...wish });
  const call = await samples(async (round) => {
    const { error } = await edit(wish(round));
    if (error) throw new Error(error.message);
  });
  const missing = await samples(async (round) => {
    const { error } = await edit(absent(round));
    if (error?.code !== "match_not_found") throw new Error(`expected no match, got ${error?.code}`);
  });
  await haft[Symbol.asyncDispose]();
  return [call, missing];
}

async function toolSamples(root: string, file: string): Promise<{ tool: Samples; bare: Samples }> {
  writeFileSync(file, source());
  const host = createHost({ cwd: root });
  const edit = (await builtinTools()).find(({ name }) => name === "Edit");
  if (!edit) throw new Error("there is no Edit");
  const context = {
    cwd: root,
    home: root,
    ports: host.ports,
    progress: () => {},
    signal: new AbortController().signal,
  };
  const bare: number[] = [];
  const tool = await samples(
    async (round) => edit.run({ file_path: file, ...wish(round) }, context as never),
    async () => bare.push(await time(() => replaceBare(file))),
  );
  await host.close();
  return { tool, bare: { times: bare.slice(WARM_UP), processor: 0 } };
}

const line = (index: number): string =>
  `  const value${index} = compute(${index}, "some text of a usual length", { flag: ${index % 2 === 0} });`;
const source = (): string => `${Array.from({ length: LINES }, (_, index) => line(index)).join("\n")}\n`;
const wish = (round: number) => {
  const index = (round * 7) % LINES;
  return { old_string: `${line(index)}\n${line(index + 1)}`, new_string: `${line(index)} // seen\n${line(index + 1)}` };
};
const absent = (round: number) => {
  const index = (round * 13) % (LINES - 10);
  const lines = Array.from({ length: 8 }, (_, offset) => line(index + offset).replace("compute", `recount${offset}`));
  return { old_string: lines.join("\n"), new_string: "x" };
};

/** Samples of some work; what stands between two of them does not count. */
async function samples(work: (round: number) => Promise<unknown>, between?: () => Promise<unknown>): Promise<Samples> {
  const times: number[] = [];
  let processor = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const from = process.cpuUsage();
    times.push(await time(() => work(round)));
    const { user, system } = process.cpuUsage(from);
    if (round >= WARM_UP) processor += (user + system) / 1000;
    await between?.();
  }
  return { times: times.slice(WARM_UP), processor: processor / (ROUNDS - WARM_UP) };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** The least that a replacement in one step can be. */
async function replaceBare(file: string): Promise<void> {
  const bytes = await readFile(file);
  const handle = await open(`${file}.new`, "w");
  await handle.writeFile(bytes);
  await handle.sync();
  await handle.close();
  await rename(`${file}.new`, file);
}
