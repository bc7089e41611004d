/** Calls through workers and jobs of bare BullMQ, on one Redis, with hosts and workers in this process. */
import type { DispatchContext, DispatchedResult } from "@haft/core/executor";
import { read } from "@haft/core/tool";
import { digestOf, openQueueHost, openQueueWorker } from "@haft/workers";
import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import { startRedis, type TestRedis } from "../test/support/redis-server.ts";

const IN_FLIGHT = 32;
const CONCURRENCY = 8;
/** Characters of a signed job and of a signed result, so that both carry as much. */
const [JOB_CHARS, RESULT_CHARS] = [880, 190];

/** One way to have jobs done. */
export interface QueueWay {
  send(index: number): Promise<unknown>;
  close(): Promise<void>;
}

/** The cost of many jobs. */
export interface QueueCost {
  readonly perSecond: number;
  /** Microseconds of processor time for a job, in this process and in Redis. */
  readonly processor: number;
}

/** A Redis, both ways with a number of workers, and what their jobs cost. */
export interface QueueLoad extends AsyncDisposable {
  readonly ways: Readonly<Record<"bare BullMQ" | "haft", QueueWay>>;
  cost(way: QueueWay, jobs: number): Promise<QueueCost>;
  /** Median milliseconds of one job after the other. */
  latency(way: QueueWay, jobs: number): Promise<number>;
}

export async function queueLoad(workers: number): Promise<QueueLoad> {
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  const ways = { "bare BullMQ": await bare(redis, workers), haft: await ours(redis, workers) };

  async function redisMicros(): Promise<number> {
    const facts = (await admin.info("cpu")).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm);
    return [...facts].reduce((sum, [, seconds]) => sum + Number(seconds) * 1e6, 0);
  }

  return {
    ways,
    async cost({ send }, jobs) {
      let next = 0;
      const lane = async () => {
        while (next < jobs) await send(next++);
      };
      const [inRedis, here, from] = [await redisMicros(), process.cpuUsage(), performance.now()];
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
      const ms = performance.now() - from;
      const { user, system } = process.cpuUsage(here);
      const processor = (user + system + (await redisMicros()) - inRedis) / jobs;
      return { perSecond: (jobs * 1_000) / ms, processor };
    },
    async latency({ send }, jobs) {
      const times: number[] = [];
      for (let index = 0; index < jobs; index++) {
        const from = performance.now();
        await send(index);
        times.push(performance.now() - from);
      }
      return times.toSorted((a, b) => a - b)[jobs >> 1]!;
    },
    async [Symbol.asyncDispose]() {
      for (const way of Object.values(ways)) await way.close();
      admin.disconnect();
      await redis[Symbol.asyncDispose]();
    },
  };
}

async function bare({ port }: TestRedis, count: number): Promise<QueueWay> {
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const queue = new Queue("bare", { connection });
  const events = new QueueEvents("bare", { connection });
  // Each waiting job listens.
  for (const emitter of [queue, events]) emitter.setMaxListeners(IN_FLIGHT * 4);
  const answer = { text: "y".repeat(RESULT_CHARS) };
  const all = Array.from(
    { length: count },
    () => new Worker("bare", async () => answer, { connection, concurrency: CONCURRENCY }),
  );
  await Promise.all([events.waitUntilReady(), ...all.map((worker) => worker.waitUntilReady())]);
  const text = "x".repeat(JOB_CHARS);
  return {
    send: async (index) =>
      (await queue.add("job", { text, index }, { removeOnComplete: { age: 60 } })).waitUntilFinished(events),
    close: async () => void (await Promise.all([...all, queue, events].map((one) => one.close()))),
  };
}

async function ours({ url }: TestRedis, count: number): Promise<QueueWay> {
  const common = { url, name: "ours", env: { HAFT_QUEUE_KEY: "k".repeat(64) } };
  const place = { workspaces: ["/w"], tools: ["Echo"], journal: "j", version: "1", concurrency: CONCURRENCY };
  const answer: DispatchedResult = { result: { content: [{ type: "text", text: "y".repeat(30) }] }, shown: [] };
  const run = async () => answer;
  const all = await Promise.all(Array.from({ length: count }, () => openQueueWorker({ ...common, ...place, run })));
  const host = await openQueueHost({ ...common, session: "s", isResumed: false });
  const policy = { digest: digestOf("{}"), text: "{}" };
  const context: DispatchContext = {
    ...{ signal: new AbortController().signal, progress() {}, starting: async () => {}, ask: async () => ({}) },
  };
  let calls = 0;
  return {
    send(index) {
      const call = { id: `c${calls++}`, tool: "Echo", batch: "b", turn: 1 };
      const job = { call, tool: "Echo", cwd: "/w", effects: [read("/w/f")], policy, input: { text: `job ${index}` } };
      const more = { agent: { id: "main" }, retry: "read", seen: [], tickets: [] } as const;
      return host.send({ ...job, ...more }, host.needs(job)!, context);
    },
    async close() {
      await host.close();
      await Promise.all(all.map((worker) => worker.close()));
    },
  };
}
