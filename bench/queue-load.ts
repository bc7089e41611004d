/** Calls through workers and jobs of bare BullMQ, on one Redis. The workers of both are in a process of their own. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { DispatchContext } from "@haft/core/executor";
import { read } from "@haft/core/tool";
import { digestOf, openQueueHost } from "@haft/workers";
import { Queue, QueueEvents } from "bullmq";
import { Redis } from "ioredis";
import { startRedis, type TestRedis } from "../test/support/redis-server.ts";
import { KEY } from "./queue-workers.ts";

const IN_FLIGHT = 32;
/** Characters of a signed job, so that both carry as much. */
const JOB_CHARS = 880;

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
  const child = fork(new URL("./queue-workers.ts", import.meta.url), [`${redis.port}`, `${workers}`]);
  await Promise.race([once(child, "message"), once(child, "exit").then(() => Promise.reject(new Error("no workers")))]);
  const ways = { "bare BullMQ": await bare(redis), haft: await ours(redis) };

  async function otherMicros(): Promise<number> {
    const facts = (await admin.info("cpu")).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm);
    return [...facts].reduce((sum, [, seconds]) => sum + Number(seconds) * 1e6, microsOf(child));
  }

  return {
    ways,
    async cost({ send }, jobs) {
      let next = 0;
      const lane = async () => {
        while (next < jobs) await send(next++);
      };
      const [elsewhere, here, from] = [await otherMicros(), process.cpuUsage(), performance.now()];
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
      const ms = performance.now() - from;
      const { user, system } = process.cpuUsage(here);
      const processor = (user + system + (await otherMicros()) - elsewhere) / jobs;
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
      child.kill();
      admin.disconnect();
      await redis[Symbol.asyncDispose]();
    },
  };
}

/** Processor time of a process; a tick of the kernel is 10 ms. */
function microsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function bare({ port }: TestRedis): Promise<QueueWay> {
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const queue = new Queue("bare", { connection });
  const events = new QueueEvents("bare", { connection });
  // Each waiting job listens.
  for (const emitter of [queue, events]) emitter.setMaxListeners(IN_FLIGHT * 4);
  await events.waitUntilReady();
  const text = "x".repeat(JOB_CHARS);
  return {
    send: async (index) =>
      (await queue.add("job", { text, index }, { removeOnComplete: { age: 60 } })).waitUntilFinished(events),
    close: async () => void (await Promise.all([queue, events].map((one) => one.close()))),
  };
}

async function ours({ url }: TestRedis): Promise<QueueWay> {
  const host = await openQueueHost({ url, name: "ours", env: { HAFT_QUEUE_KEY: KEY }, session: "s", isResumed: false });
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
    close: () => host.close(),
  };
}
