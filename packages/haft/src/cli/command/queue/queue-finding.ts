import { toToolError } from "@haft/core/tool";
import { loadWorkers } from "../../../app/queue/load-workers.ts";
import type { Finding } from "../finding.ts";
import { queueOf } from "./queue-options.ts";

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The queue, if one is named: whether it answers, has workers, and keeps what it is given. */
export async function queueFindings(given: string | undefined): Promise<readonly Finding[]> {
  try {
    const queue = queueOf({ ...(given === undefined ? {} : { queue: given }) });
    if (!queue) return [];
    const { queueAdmin } = await loadWorkers();
    const { workers, waiting, redis } = await queueAdmin.report(queue);
    const detail = `Redis ${redis.version}, ${counted(workers.length, "worker")}, ${counted(waiting, "call")} waiting`;
    const cure = redis.full
      ? "Redis is full and takes no new calls: raise its maxmemory, or remove old keys."
      : !redis.persistent
        ? "Start Redis with --appendonly yes; a restart loses calls otherwise."
        : redis.evicts
          ? "Set maxmemory-policy noeviction; a full Redis drops calls otherwise."
          : workers.length === 0
            ? "Start a worker: haft worker --queue ADDRESS --key-file FILE."
            : undefined;
    return [{ name: "queue", status: cure === undefined ? "ok" : "missing", detail, ...(cure ? { cure } : {}) }];
  } catch (thrown) {
    const { message, hint } = toToolError(thrown);
    return [{ name: "queue", status: "broken", detail: message, ...(hint ? { cure: hint } : {}) }];
  }
}
