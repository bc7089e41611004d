import type { Connection } from "./connect.ts";
import type { Names } from "./names.ts";

/** Something that happened in a queue. It says nothing about arguments or results. */
export interface QueueEvent {
  readonly is: "joined" | "draining" | "left" | "ended" | "failed" | "refused" | "lost";
  readonly worker: string;
  readonly tool?: string;
  readonly session?: string;
  /** Milliseconds that a call took on its worker. */
  readonly ms?: number;
  /** The code of an error. */
  readonly code?: string;
}

/** An event with its place in the log and its time, by the clock of Redis. */
export interface LoggedQueueEvent extends QueueEvent {
  readonly id: string;
  readonly at: number;
}

/** About as many events are there; older ones are dropped. */
export const MOST_EVENTS = 1_000;

/** Adds an event to the log of the queue. The log is for people: its failure is ignored. */
export function logEvent(redis: Connection, names: Names, event: QueueEvent): void {
  redis.xadd(names.events, "MAXLEN", "~", MOST_EVENTS, "*", "e", JSON.stringify(event)).catch(() => {});
}

/** The latest events, oldest first. */
export async function latestEvents(redis: Connection, names: Names, count: number): Promise<LoggedQueueEvent[]> {
  return (await redis.xrevrange(names.events, "+", "-", "COUNT", count)).reverse().flatMap(readEvent);
}

/** Events as they happen, after the one with this id. Ends with the signal. */
export async function* followEvents(redis: Connection, names: Names, after: string, signal: AbortSignal) {
  const reader = redis.duplicate({ lazyConnect: false });
  reader.on("error", () => {});
  const stop = () => reader.disconnect();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let last = after; !signal.aborted; ) {
      const read = await reader.xread("COUNT", 100, "BLOCK", 5_000, "STREAMS", names.events, last).catch((thrown) => {
        if (signal.aborted) return null;
        throw thrown;
      });
      for (const [id, fields] of read?.[0]?.[1] ?? []) {
        last = id;
        yield* readEvent([id, fields]);
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.disconnect();
  }
}

/** Anybody who reaches Redis can write to the log: what is no event is left out. */
function readEvent([id, fields]: [id: string, fields: string[]]): LoggedQueueEvent[] {
  try {
    const event = JSON.parse(fields[1] ?? "") as QueueEvent;
    return typeof event.is === "string" && typeof event.worker === "string"
      ? [{ ...event, id, at: Number(id.split("-")[0]) }]
      : [];
  } catch {
    return [];
  }
}
