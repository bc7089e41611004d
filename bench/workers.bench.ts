/** A call through workers against a job of bare BullMQ, in turns. */
import { loadavg } from "node:os";
import { hasRedis } from "../test/support/redis-server.ts";
import { type Figure, p50 } from "./measure.ts";
import { queueLoad } from "./queue-load.ts";

const [ROUNDS, JOBS, MOST] = [5, 1_000, 16];

export async function workerFigures(): Promise<Figure[]> {
  if (!hasRedis) return [];
  const [few, many] = [await compared(2), await compared(MOST)];
  const load = `(load ${loadavg()[0]?.toFixed(1)})`;
  return [
    { name: `bare BullMQ against workers, jobs/s ${load}`, value: few.rate, unit: "×", limit: 1 / 0.8 },
    { name: "… with 16 workers", value: many.rate, unit: "×", limit: 1 / 0.8 },
    { name: "… processor time of a call against a job", value: few.processor, unit: "×", limit: 1.5 },
    { name: "… with 16 workers", value: many.processor, unit: "×", limit: 1.5 },
    { name: "added to the time of one job after the other", value: few.added, unit: "ms", limit: 3 },
    { name: "… with 16 workers", value: many.added, unit: "ms", limit: 3 },
  ];
}

async function compared(workers: number): Promise<{ rate: number; processor: number; added: number }> {
  await using load = await queueLoad(workers);
  const { haft, "bare BullMQ": bare } = load.ways;
  const rounds: { rate: number; processor: number; added: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [ours, theirs] = [await load.cost(haft, JOBS), await load.cost(bare, JOBS)];
    const [late, early] = [await load.latency(haft, 100), await load.latency(bare, 100)];
    // The first round loads code.
    if (round > 0)
      rounds.push({
        rate: theirs.perSecond / ours.perSecond,
        processor: ours.processor / theirs.processor,
        added: late - early,
      });
  }
  const middle = (key: "rate" | "processor" | "added") => p50(rounds.map((one) => one[key]));
  return { rate: middle("rate"), processor: middle("processor"), added: middle("added") };
}
