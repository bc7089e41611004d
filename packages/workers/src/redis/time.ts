import type { Connection } from "./connect.ts";

/** The clock that hosts and workers share: the one of Redis. */
export interface SharedClock {
  now(): number;
}

/** Reads the clock of Redis once. It goes on by this machine's timer, which no change of the date touches. */
export async function sharedClock(redis: Connection): Promise<SharedClock> {
  const before = performance.now();
  const [seconds, micros] = await redis.time();
  const middle = (before + performance.now()) / 2;
  const then = Number(seconds) * 1_000 + Number(micros) / 1_000;
  return { now: () => Math.round(then + performance.now() - middle) };
}
