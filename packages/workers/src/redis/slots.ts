import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Slots } from "@haft/core/executor";
import type { Connection } from "./connect.ts";
import { LEASE_MS, renew } from "./locks.ts";
import { patient } from "./patience.ts";
import { script } from "./script.ts";

/** Limits of calls over all hosts that use the same name. */
export interface SlotLimits {
  /** Most calls at the same time. */
  readonly concurrent?: number | undefined;
  /** Most calls that start within a second. */
  readonly perSecond?: number | undefined;
}

const RETRY_MS = 25;

/** Takes a slot and a start if both are free, by the clock of Redis. */
const take = script<number>(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 1000)
if ARGV[2] ~= '' and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
if ARGV[3] ~= '' and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[1])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], 2000)
return 1
`);

/** Slots that several hosts share. The slot of a host that is gone is free again after a lease. */
export function sharedSlots(redis: Connection, name: string, { concurrent, perSecond }: SlotLimits): Slots {
  return {
    async take(signal) {
      const id = randomUUID();
      const wanted = [id, concurrent ?? "", perSecond ?? "", LEASE_MS];
      while ((await patient(take(redis, [name, `${name}:starts`], ...wanted), signal)) !== 1)
        await sleep(RETRY_MS, undefined, { signal });
      const timer = setInterval(() => {
        renew(redis, [`${name} ${id}`]).catch(() => {});
      }, LEASE_MS / 4);
      timer.unref();
      return () => {
        clearInterval(timer);
        redis.zrem(name, id).catch(() => {});
      };
    },
  };
}
