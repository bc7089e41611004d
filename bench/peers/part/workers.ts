/** Calls through workers beside jobs of bare BullMQ, for 1 to 16 workers; and a Read that goes through a worker. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHaft } from "haft";
import { startWorker } from "../../../packages/haft/src/worker/index.ts";
import { hasRedis, startRedis } from "../../../test/support/redis-server.ts";
import { type QueueWay, queueLoad } from "../../queue-load.ts";
import { type Effort, interleave, type Part, type Row, rowOf, timed } from "../measure.ts";
import { scratch } from "../places.ts";

const JOBS = 2_000;

export const workers: Part = {
  charts: [
    {
      ...{ id: "rate", title: "Calls through workers, 32 at once", axis: "workers", floor: "bare BullMQ" },
      ...{ isHigherBetter: true },
      remark:
        "The calls do nothing: these are the costs of the queue. Both carry as many bytes and wait for the result. The workers of both are in one process, the hosts in another.",
    },
    { id: "latency", title: "One call after the other", axis: "workers", floor: "bare BullMQ" },
    {
      ...{ id: "processor", title: "Processor time of a call, with that of Redis", axis: "workers" },
      floor: "bare BullMQ",
    },
    {
      ...{ id: "read", title: "Read of a file of 1 KB through all of Haft", axis: "where" },
      remark: "With policy, effects, locks, record and, on a worker, the queue and the worker's own pipeline.",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    if (!hasRedis) throw new Error("this part needs redis-server");
    const rows: Row[] = [];
    const count = isQuick ? 2 : Math.min(rounds, 7);
    for (const workers of isQuick ? [1, 4] : [1, 2, 4, 8, 16]) rows.push(...(await ofWorkers(workers, count)));
    return [...rows, ...(await reads(count * 20))];
  },
};

async function ofWorkers(workers: number, rounds: number): Promise<readonly Row[]> {
  await using load = await queueLoad(workers);
  const found = new Map(
    Object.keys(load.ways).map((name) => [name, { rate: [], latency: [], processor: [] } as Found]),
  );
  for (let round = 0; round <= rounds; round++) {
    const turns = Object.entries(load.ways) as [string, QueueWay][];
    for (const [name, way] of round % 2 ? turns : turns.toReversed()) {
      const { perSecond, processor } = await load.cost(way, JOBS);
      const latency = await load.latency(way, 100);
      // The first round loads code.
      if (round === 0) continue;
      found.get(name)!.rate.push(perSecond);
      found.get(name)!.processor.push(processor);
      found.get(name)!.latency.push(latency);
    }
  }
  return [...found].flatMap(([name, { rate, latency, processor }]) => [
    rowOf("rate", name, workers, "calls/s", rate),
    rowOf("latency", name, workers, "ms", latency),
    rowOf("processor", name, workers, "µs", processor),
  ]);
}

type Found = Record<"rate" | "latency" | "processor", number[]>;

async function reads(rounds: number): Promise<readonly Row[]> {
  using place = scratch();
  await using redis = await startRedis();
  const file = join(place.cwd, "file.ts");
  writeFileSync(file, "export const value = 1;\n".repeat(42));
  const env = { ...process.env, HAFT_QUEUE_KEY: "k".repeat(64) };
  const base = { home: place.home, stateDir: join(place.home, "state"), env, withoutUserSettings: true };
  const worker = await startWorker({ url: redis.url, workspaces: [place.cwd], version: "bench", haft: base });
  const options = { ...base, cwd: place.cwd, loopGuard: false, onNotice() {} } as const;
  await using host = await createHaft(options);
  await using sending = await createHaft({ ...options, queue: redis.url });
  const read = (haft: typeof host) => () =>
    timed(async () => {
      const { error } = await haft.call("Read", { file_path: file });
      if (error) throw new Error(error.message);
    });
  const ways = { "haft, on the host": read(host), "haft, on a worker": read(sending) };
  const rows = await interleave({ chart: "read", at: "Read", unit: "ms", rounds, warm: 10 }, ways);
  await worker.close();
  return rows;
}
