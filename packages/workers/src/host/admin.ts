import { Queue } from "bullmq";
import type { Order } from "../job/message.ts";
import { readKey, sign, writeKey } from "../job/signature.ts";
import { connect } from "../redis/connect.ts";
import { followEvents, type LoggedQueueEvent, latestEvents } from "../redis/events.ts";
import { namesOf } from "../redis/names.ts";
import { listWorkers, queueOf, type SeenWorker, withHeartbeats } from "../redis/roster.ts";

/** A queue and its workers at one moment. */
export interface QueueReport {
  readonly workers: readonly SeenWorker[];
  /** Calls that no worker has taken yet. */
  readonly waiting: number;
  readonly running: number;
  /** The latest events, oldest first. */
  readonly events: readonly LoggedQueueEvent[];
  readonly redis: {
    readonly version: string;
    readonly persistent: boolean;
    /** Evicting keys would lose calls. */
    readonly evicts: boolean;
    /** A full Redis takes no new calls. */
    readonly full: boolean;
  };
}

const REPORTED_EVENTS = 20;

/** Looks at a queue. Needs no key. @throws HaftError if Redis cannot be reached. */
export async function reportQueue({ url, name = "default" }: { url: string; name?: string }): Promise<QueueReport> {
  const names = namesOf(name);
  const redis = await connect(url);
  try {
    const workers = await listWorkers(redis, names);
    const counts = await Promise.all(
      [...new Set(workers.map(queueOf))].map(async (queue) => {
        const opened = new Queue(queue, { connection: redis, prefix: names.prefix, skipVersionCheck: true });
        return opened.getJobCounts("waiting", "prioritized");
      }),
    );
    const sum = (kind: string): number => counts.reduce((total, count) => total + (count[kind] ?? 0), 0);
    const info = await redis.info();
    const fact = (key: string): string => new RegExp(`^${key}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
    return {
      workers: await withHeartbeats(redis, names, workers),
      events: await latestEvents(redis, names, REPORTED_EVENTS),
      waiting: sum("waiting") + sum("prioritized"),
      // The queue counts the calls of a lost worker for a while too.
      running: workers.reduce((total, { active }) => total + active, 0),
      redis: {
        version: fact("redis_version"),
        persistent: fact("aof_enabled") === "1",
        evicts: fact("maxmemory_policy") !== "noeviction",
        full: Number(fact("maxmemory")) > 0 && Number(fact("used_memory")) >= Number(fact("maxmemory")),
      },
    };
  } finally {
    redis.disconnect();
  }
}

/** Events of a queue as they happen, until the signal fires. Needs no key. @throws HaftError if Redis cannot be reached. */
export async function* watchQueue(
  { url, name = "default" }: { url: string; name?: string },
  signal: AbortSignal,
): AsyncGenerator<LoggedQueueEvent> {
  const redis = await connect(url);
  try {
    yield* followEvents(redis, namesOf(name), "$", signal);
  } finally {
    redis.disconnect();
  }
}

/** Options of an order to a worker. */
export interface DrainOptions {
  readonly url: string;
  readonly name?: string;
  readonly keyFile?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Tells a worker to take no new calls and to end when those that run have ended. Returns whether it heard. */
export async function drainWorker(id: string, options: DrainOptions): Promise<boolean> {
  const key = readKey(options.keyFile, options.env);
  const redis = await connect(options.url);
  try {
    const order: Order = { t: "drain" };
    const channel = namesOf(options.name ?? "default").orders(id);
    return (await redis.publish(channel, sign(key, "order", order))) > 0;
  } finally {
    redis.disconnect();
  }
}

/** Looks at a queue and its workers, and gives orders. */
export const queueAdmin = { report: reportQueue, watch: watchQueue, drain: drainWorker, writeKey } as const;
