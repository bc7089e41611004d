import { digestOf } from "../job/job.ts";
import type { Connection } from "./connect.ts";
import type { Names } from "./names.ts";

/** A worker as the queue knows it. */
export interface WorkerInfo {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly contract: number;
  readonly version: string;
  readonly labels: readonly string[];
  /** Absolute real paths of the folders that it works in. Empty: any folder that exists there. */
  readonly workspaces: readonly string[];
  /** Names of the tools that it runs. */
  readonly tools: readonly string[];
  /** Tells where its journal is: two workers with the same one can undo each other's changes. */
  readonly journal: string;
  /** Tells which key it has. Absent: an older version. */
  readonly key?: string;
  readonly concurrency: number;
  readonly active: number;
  readonly done: number;
  /** It takes no new calls. */
  readonly draining: boolean;
  readonly startedAt: number;
  /** Milliseconds without a heartbeat after which it counts as lost. Absent: an older version. */
  readonly lostAfterMs?: number;
}

/** A worker with the time since its last heartbeat. */
export interface SeenWorker extends WorkerInfo {
  /** Milliseconds, by the clock of Redis. Absent: the worker does not say when it counts as lost. */
  readonly silentMs?: number;
}

const queueNames = new WeakMap<WorkerInfo, string>();

/** The queue from which workers of one kind take. Those of other kinds cannot run the same calls. */
export function queueOf(info: WorkerInfo): string {
  const known = queueNames.get(info);
  if (known !== undefined) return known;
  const { contract, labels, workspaces, tools, journal, key } = info;
  const kind = [contract, [...labels].sort(), [...workspaces].sort(), digestOf(tools), journal, key];
  const name = `calls-${digestOf(kind).slice(0, 12)}`;
  queueNames.set(info, name);
  return name;
}

/** Announces a worker until its next beat is due. */
export async function announce(redis: Connection, names: Names, info: WorkerInfo, ttlMs: number): Promise<void> {
  const answers = await redis
    .pipeline()
    .set(names.worker(info.id), JSON.stringify(info), "PX", ttlMs)
    .sadd(names.workers, info.id)
    .exec();
  for (const [problem] of answers ?? []) if (problem) throw problem;
}

/** Adds the time since the last heartbeat of each worker. */
export async function withHeartbeats(
  redis: Connection,
  names: Names,
  workers: readonly WorkerInfo[],
): Promise<readonly SeenWorker[]> {
  const rests = await Promise.all(workers.map(({ id }) => redis.pttl(names.worker(id))));
  return workers.map((info, at) => {
    const [rest = 0, { lostAfterMs }] = [rests[at], info];
    return lostAfterMs === undefined ? info : { ...info, silentMs: Math.max(0, lostAfterMs - Math.max(0, rest)) };
  });
}

/** Takes a worker off the list. */
export async function leave(redis: Connection, names: Names, id: string): Promise<void> {
  await redis.pipeline().del(names.worker(id)).srem(names.workers, id).exec();
}

/** The workers whose heart beats. */
export async function listWorkers(redis: Connection, names: Names): Promise<readonly WorkerInfo[]> {
  const ids = await redis.smembers(names.workers);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map((id) => names.worker(id)));
  const gone = ids.filter((_, index) => texts[index] === null);
  if (gone.length > 0) await redis.srem(names.workers, ...gone);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerInfo]));
}
