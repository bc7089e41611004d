/** The cost of a script that calls tools: its start, and the overhead of each call. */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, defineTool, type Haft } from "haft";
import { type Figure, minimum } from "./measure.ts";

const ROUNDS = 10;
const CALLS = 200;

export async function scriptFigures(): Promise<Figure[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  const inside: number[] = [];
  const outside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const cwd = mkdtempSync(join(tmpdir(), "haft-bench-scripts-"));
    const haft = await createHaft({
      ...{ cwd, home: cwd, stateDir: join(cwd, "state"), env: {}, loopGuard: false, tools: [Look] },
      ...{ rules: { allow: ["Look"] }, settings: { gates: { repl: true } }, settingsFiles: false as const },
    });
    try {
      // As while the model writes its first answer.
      if (round % 2 === 1) {
        haft.prepare();
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      (round % 2 === 1 ? warm : cold).push(await time(() => script(haft, "1 + 1")));
      await script(haft, "await tools.Look({ at: 0 })");
      inside.push(await time(() => script(haft, `for (let at = 0; at < ${CALLS}; at++) await tools.Look({ at })`)));
      outside.push(
        await time(async () => {
          for (let at = 0; at < CALLS; at += 1) await haft.call("Look", { at });
        }),
      );
    } finally {
      await haft[Symbol.asyncDispose]();
      rmSync(cwd, { recursive: true, force: true });
    }
  }
  const each = (minimum(inside) - minimum(outside)) / CALLS;
  return [
    {
      name: `the first script of a session (load ${loadavg()[0]?.toFixed(1)})`,
      value: minimum(warm),
      unit: "ms",
      limit: 60,
    },
    { name: "… in a program that makes no request to a model before", value: minimum(cold), unit: "ms", limit: 100 },
    { name: "a call in a script, beside the same call alone", value: each, unit: "ms", limit: 1 },
  ];
}

const Look = defineTool({
  ...{ name: "Look", description: "Looks.", can: [] },
  input: { type: "object", properties: { at: { type: "number", description: "Where." } } } as const,
  effects: () => [],
  run: ({ at }) => `Nothing at ${at}.`,
});

async function script(haft: Haft, code: string): Promise<void> {
  const { error } = await haft.call("REPL", { code });
  if (error) throw new Error(error.message);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
