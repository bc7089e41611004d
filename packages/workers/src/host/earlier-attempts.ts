import type { Connection } from "../redis/connect.ts";
import type { Names } from "../redis/names.ts";
import { script } from "../redis/script.ts";
import { MARK_MS, WITHDRAWN } from "../redis/start-mark.ts";

/** The attempts of a call that an earlier process of its session has made. */
export interface EarlierAttempts {
  /** The id of the last one that a worker has started. */
  readonly last: string | undefined;
  /** The number of the next attempt. */
  readonly next: number;
}

/** Looks for attempts one after the other, and takes the first one back that has not started: it may lie in the queue. */
const look = script<[last: number, next: number]>(`
local last = 0
local n = 1
while true do
  local mark = redis.call('GET', KEYS[1] .. n)
  if not mark and redis.call('EXISTS', KEYS[2] .. n) == 0 then break end
  if mark and mark ~= ARGV[1] then last = n end
  n = n + 1
end
redis.call('SET', KEYS[1] .. n, ARGV[1], 'PX', ARGV[2])
return {last, n + 1}
`);

/** Finds the attempts of a call by its key. None of them starts any more. */
export async function earlierAttempts(redis: Connection, names: Names, key: string): Promise<EarlierAttempts> {
  const [last, next] = await look(redis, [names.started(`${key}-`), names.result(`${key}-`)], WITHDRAWN, MARK_MS);
  return { last: last === 0 ? undefined : `${key}-${last}`, next };
}
