import type { Connection } from "./connect.ts";

/** The clock that hosts and workers share: the one of Redis. */
export interface SharedClock {
  now(): number;
}

/** Measures how far this machine's clock is from the one of Redis. */
export async function sharedClock(redis: Connection): Promise<SharedClock> {
  const before = Date.now();
  const [seconds, micros] = await redis.time();
  const after = Date.now();
  const offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (before + after) / 2;
  return { now: () => Math.round(Date.now() + offset) };
}
