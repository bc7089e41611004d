// Calls through workers against bare BullMQ, on a Redis of its own: `node --conditions=haft-source packages/workers/test/bench.ts [JOBS]`.
import type { DispatchedResult } from "@haft/core/executor";
import { read } from "@haft/core/tool";
import { Queue, QueueEvents, Worker } from "bullmq";
import { startRedis } from "../../../test/support/redis-server.ts";
import { digestOf, openQueueHost, openQueueWorker } from "../src/index.ts";

const JOBS = Number(process.argv[2] ?? 2_000);
const IN_FLIGHT = 32;
const ROUNDS = 3;

/** Sends jobs, a number at a time, and returns how many a second were answered. */
async function rate(send: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const lane = async () => {
    while (next < JOBS) await send(next++);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return JOBS / ((performance.now() - from) / 1_000);
}

/** Median milliseconds of one job after the other. */
async function latency(send: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 300; index++) {
    const from = performance.now();
    await send(index);
    times.push(performance.now() - from);
  }
  return median(times);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function bare(url: string, workers: number) {
  const { port } = new URL(url);
  const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
  const name = `bare-${workers}`;
  const queue = new Queue(name, { connection });
  const events = new QueueEvents(name, { connection });
  const take = async ({ data }: { data: unknown }) => data;
  const all = Array.from({ length: workers }, () => new Worker(name, take, { connection, concurrency: 8 }));
  await Promise.all([events.waitUntilReady(), ...all.map((worker) => worker.waitUntilReady())]);
  const send = async (index: number) => {
    const job = await queue.add("job", { text: `job ${index}` }, { removeOnComplete: { age: 60 } });
    return job.waitUntilFinished(events);
  };
  const close = async () => void (await Promise.all([...all, queue, events].map((one) => one.close())));
  return { send, close };
}

async function ours(url: string, workers: number) {
  const env = { HAFT_QUEUE_KEY: "k".repeat(64) };
  const name = `ours-${workers}`;
  const run = async (): Promise<DispatchedResult> => ({
    result: { content: [{ type: "text", text: "x" }] },
    shown: [],
  });
  const common = { url, name, env };
  const place = { workspaces: ["/w"], tools: ["Echo"], journal: "j", version: "1", concurrency: 8 };
  const all = await Promise.all(Array.from({ length: workers }, () => openQueueWorker({ ...common, ...place, run })));
  const host = await openQueueHost({ ...common, session: "s", isResumed: false });
  const policy = { digest: digestOf("{}"), text: "{}" };
  let calls = 0;
  const send = async (index: number) => {
    const call = { id: `c${calls++}`, tool: "Echo", batch: "b", turn: 1 };
    const job = { call, tool: "Echo", cwd: "/w", effects: [read("/w/f")], policy };
    const more = { agent: { id: "main" }, retry: "read", seen: [], tickets: [] } as const;
    const context = { signal: new AbortController().signal, progress: () => {}, ask: async () => ({}) };
    return host.send({ ...job, ...more, input: { text: `job ${index}` } }, host.needs(job)!, context);
  };
  const close = async () => {
    await host.close();
    await Promise.all(all.map((worker) => worker.close()));
  };
  return { send, close };
}

const redis = await startRedis();
process.stdout.write(
  "| workers | bare BullMQ, jobs/s | Haft, calls/s | ratio | bare, ms | Haft, ms | added, ms |\n" +
    "| --- | --- | --- | --- | --- | --- | --- |\n",
);
for (const workers of [1, 2, 4, 8, 16]) {
  const [theirs, mine] = [await bare(redis.url, workers), await ours(redis.url, workers)];
  const found: [number, number, number, number][] = [];
  for (let round = 0; round < ROUNDS; round++)
    found.push([await rate(theirs.send), await rate(mine.send), await latency(theirs.send), await latency(mine.send)]);
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => median(found.map((row) => row[at]!))) as [
    number,
    number,
    number,
    number,
  ];
  const cells = [
    workers,
    a.toFixed(0),
    b.toFixed(0),
    (b / a).toFixed(2),
    c.toFixed(2),
    d.toFixed(2),
    (d - c).toFixed(2),
  ];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
  await Promise.all([theirs.close(), mine.close()]);
}
await redis[Symbol.asyncDispose]();
process.exit(0);
