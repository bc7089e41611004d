/**
 * An edit of a 2,000-line file: the tool on the host's real files, a whole call, and a passage that is not there. What
 * the disk takes for reading and replacing a file, fsync included, is measured in turns with it.
 */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinTools, createHost } from "@haft/tools";
import { createHaft } from "haft";
import { type Figure, minimum, p50 } from "./measure.ts";

const LINES = 2000;
const ROUNDS = 200;

export async function editFigures(): Promise<Figure[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const file = join(root, "file.ts");
  const put = () => writeFileSync(file, source());
  try {
    put();
    const [tool, bare] = await toolSamples(root, file);
    put();
    const haft = await createHaft({
      cwd: root,
      settings: false,
      stateDir: false,
      mode: "acceptEdits",
      loopGuard: false,
    });
    const call = await samples(async (round) => {
      const { error } = await haft.call("Edit", { file_path: file, ...wish(round) });
      if (error) throw new Error(error.message);
    });
    const missing = await samples(async (round) => {
      const { error } = await haft.call("Edit", { file_path: file, ...absent(round) });
      if (error?.code !== "match_not_found") throw new Error(`expected no match, got ${error?.code}`);
    });
    await haft[Symbol.asyncDispose]();
    return [
      { name: "Edit of 2,000 lines, the tool with its files, least", value: minimum(tool), unit: "ms", limit: 2 },
      {
        name: "Edit of 2,000 lines, against a bare replacement, p50",
        value: p50(tool) / p50(bare),
        unit: "×",
        limit: 4,
      },
      { name: "Edit of 2,000 lines, a whole call, least", value: minimum(call), unit: "ms", limit: 3.5 },
      { name: "Edit of a passage that is not there, p50", value: p50(missing), unit: "ms", limit: 20 },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function toolSamples(root: string, file: string): Promise<[tool: number[], bare: number[]]> {
  const host = createHost({ cwd: root });
  const edit = builtinTools().find(({ name }) => name === "Edit");
  if (!edit) throw new Error("there is no Edit");
  const context = {
    cwd: root,
    home: root,
    ports: host.ports,
    progress: () => {},
    signal: new AbortController().signal,
  };
  const tool: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    tool.push(await time(async () => edit.run({ file_path: file, ...wish(round) }, context as never)));
    bare.push(await time(() => replaceBare(file)));
  }
  await host.close();
  return [tool.slice(10), bare.slice(10)];
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

async function samples(work: (round: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await time(() => work(round)));
  return times.slice(10);
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
