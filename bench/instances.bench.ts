import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createHaft, type Haft } from "haft";
import type { Figure } from "./measure.ts";

const INSTANCES = 1000;

/** The cost of one of a thousand open instances that made no call: memory, and CPU time to open it. */
export async function instanceFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), "haft-instances-"));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const all: Haft[] = [];
  const open = async (name: string) => {
    const cwd = join(base, name);
    mkdirSync(cwd);
    const place = { cwd, home: base, stateDir: join(base, "state"), session: name };
    all.push(await createHaft({ ...place, settingsFiles: false, ask: "host", onNotice: () => {} }));
  };
  for (const name of ["first", "second"]) await open(name);
  collect();
  const heap = process.memoryUsage().heapUsed;
  const before = process.cpuUsage();
  for (let count = 0; count < INSTANCES; count++) await open(`${count}`);
  const { user, system } = process.cpuUsage(before);
  collect();
  const held = process.memoryUsage().heapUsed - heap;
  await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  rmSync(base, { recursive: true, force: true });
  return [
    { name: "one of 1,000 instances: memory", value: held / INSTANCES / 1024 / 1024, unit: "MB", limit: 0.35 },
    {
      name: "one of 1,000 instances: opening it",
      value: (user + system) / 1000 / INSTANCES,
      unit: "CPU ms",
      limit: 10,
    },
  ];
}
