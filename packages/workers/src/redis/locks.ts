import { randomUUID } from "node:crypto";
import type { Claim, Locks, Ticket } from "@haft/core/executor";
import { conflicts, type Effect } from "@haft/core/tool";
import { type Connection, listenTo } from "./connect.ts";
import { patient } from "./patience.ts";
import { script } from "./script.ts";

/** Locks that several hosts share, over those of one process. */
export interface SharedLocks extends Locks<Claim> {
  /** The tickets that keep a call's place while it runs, so that a worker can keep them alive for a host that is gone. */
  leasesOf(ticket: Ticket<Claim>): readonly string[];
  close(): void;
}

/** A ticket without a sign of life for this long is dropped. */
export const LEASE_MS = 15_000;
const LOOK_MS = 100;

/** One list of tickets for a workspace: a hash with their claims, and the times when their leases end. */
const enter = script<[place: string, state: string, version: string, others: string[]]>(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
local place = ARGV[3]
if place == '' then place = redis.call('INCR', KEYS[3]) end
local version = redis.call('INCR', KEYS[4])
local others = redis.call('HGETALL', KEYS[1])
local alone = true
for i = 2, #others, 2 do
  if string.find(others[i], ' ' .. ARGV[2] .. ' ', 1, true) == nil then alone = false end
end
local state = alone and 'runs' or 'waits'
redis.call('HSET', KEYS[1], ARGV[1], place .. ' ' .. state .. ' ' .. ARGV[2] .. ' ' .. ARGV[4])
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[5]), ARGV[1])
return {tostring(place), state, tostring(version), alone and {} or others}
`);

/** Lets a ticket run if nothing has changed since the others were read. */
const start = script<number>(`
if redis.call('GET', KEYS[4]) ~= ARGV[2] then return 0 end
local mine = redis.call('HGET', KEYS[1], ARGV[1])
if not mine then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], (string.gsub(mine, ' waits ', ' runs ', 1)))
redis.call('INCR', KEYS[4])
return 1
`);

const remove = script<null>(`
if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('INCR', KEYS[4])
  redis.call('PUBLISH', KEYS[1], 'left')
end
`);

interface Held {
  readonly id: string;
  place: string;
}

interface Other {
  readonly place: number;
  readonly runs: boolean;
  readonly owner: string;
  readonly effects: readonly Effect[];
}

/**
 * Extends the locks of a process to all hosts that use the same list. Calls of one process are ordered by its own locks;
 * across processes, conflicting calls run in the order in which they arrived here. Each publishes its claim and its
 * number at once, and runs when no conflicting call with a smaller number is left and none runs. The last check and the
 * start are one step, so two calls cannot both find that the other has not started.
 */
export function shareLocks(own: Locks<Claim>, redis: Connection, list: string): SharedLocks {
  const owner = randomUUID();
  const keys = [list, `${list}:leases`, `${list}:places`, `${list}:version`];
  const held = new Map<Ticket<Claim>, Held>();
  const changes = listChanges(redis, list);
  const timer = setInterval(() => void renew(redis, [...held.values()].map(leaseOf)).catch(() => {}), LEASE_MS / 4);
  timer.unref();
  const leaseOf = ({ id }: Held): string => `${keys[1]} ${id}`;

  /** Enters the list and waits. `true` if it had to wait for others. */
  async function admit(ticket: Ticket<Claim>, signal: AbortSignal): Promise<boolean> {
    const root = rootOf(ticket);
    const mine: Held = held.get(ticket) ?? {
      id: randomUUID(),
      place: root === ticket ? "" : (held.get(root)?.place ?? ""),
    };
    held.set(ticket, mine);
    const claim = JSON.stringify(ticket.claim?.effects ?? []);
    for (let waited = false; ; ) {
      const entered = enter(redis, keys, mine.id, owner, mine.place, claim, LEASE_MS);
      const [place, state, version, pairs] = await patient(entered, signal);
      mine.place = place;
      if (state === "runs") return waited;
      const isBlocked = othersIn(pairs, mine.id).some(
        (other) =>
          other.owner !== owner &&
          // A nested call holds locks already: it waits for calls that run, and for no other that waits.
          (other.runs || (root === ticket && other.place < Number(place))) &&
          conflicts(other.effects, ticket.claim?.effects ?? []),
      );
      if (!isBlocked && (await patient(start(redis, keys, mine.id, version), signal)) === 1) return waited;
      if (isBlocked) {
        waited = true;
        await changes.next(signal);
      }
    }
  }

  return {
    enter: (parent) => own.enter(parent),
    claim: (ticket, claim) => own.claim(ticket, claim),
    admit(ticket, signal) {
      const admitted = own.admit(ticket, signal);
      if (!ticket.claim?.effects.some(isShared)) return admitted;
      return (async () => {
        if (await admitted) return true;
        if (!(await admit(ticket, signal))) return false;
        // Another host may meanwhile have changed this call's effects.
        delete ticket.claim;
        return true;
      })();
    },
    leave(ticket) {
      own.leave(ticket);
      const mine = held.get(ticket);
      if (!mine) return;
      held.delete(ticket);
      remove(redis, keys, mine.id).catch(() => {});
    },
    leasesOf: (ticket) => [held.get(ticket), held.get(rootOf(ticket))].flatMap((one) => (one ? [leaseOf(one)] : [])),
    close() {
      clearInterval(timer);
      changes.close();
    },
  };
}

/** Waits for changes in a list. Another host's is heard at once; after `LOOK_MS` it is time to look anyway. */
function listChanges(redis: Connection, list: string) {
  const wakers = new Set<() => void>();
  const listener = listenTo(redis, list, () => {
    for (const wake of [...wakers]) wake();
  });

  const next = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (act: () => void): void => {
        clearTimeout(look);
        wakers.delete(done);
        signal.removeEventListener("abort", stop);
        act();
      };
      const done = (): void => end(resolve);
      const stop = (): void => end(() => reject(signal.reason));
      const look = setTimeout(done, LOOK_MS);
      wakers.add(done);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  return { next, close: () => listener.close() };
}

/** Prolongs leases that still exist. */
export async function renew(redis: Connection, leases: readonly string[]): Promise<void> {
  if (leases.length === 0) return;
  const [seconds] = await redis.time();
  const until = Number(seconds) * 1_000 + LEASE_MS;
  const pipeline = redis.pipeline();
  for (const lease of leases) {
    const [list = "", id = ""] = lease.split(" ");
    pipeline.zadd(list, "XX", until, id);
  }
  await pipeline.exec();
}

/** Effects on the session itself concern no other host. */
const isShared = ({ do: word }: Effect): boolean => word !== "state" && word !== "ask" && word !== "delegate";

const rootOf = (ticket: Ticket<Claim>): Ticket<Claim> => (ticket.parent ? rootOf(ticket.parent) : ticket);

function othersIn(pairs: readonly string[], own: string): readonly Other[] {
  return pairs.flatMap((text, index) => {
    if (index % 2 === 0 || pairs[index - 1] === own) return [];
    const [, place = "", state = "", owner = "", effects = "[]"] = /^(\d+) (\w+) (\S+) (.*)$/s.exec(text) ?? [];
    return [{ place: Number(place), runs: state === "runs", owner, effects: JSON.parse(effects) as Effect[] }];
  });
}
