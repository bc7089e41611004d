import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { fail } from "@haft/core/tool";
import type { Connection } from "../redis/connect.ts";
import { script } from "../redis/script.ts";

const CLAIM_MS = 15_000;

/** Takes the claim if it is free or its holder was found gone. Otherwise returns the holder. */
const take = script<string | null>(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and owner ~= ARGV[3] then return owner end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return nil
`);

const release = script<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/** A session that one host has. */
export interface SessionClaim {
  release(): Promise<void>;
}

/**
 * Takes a session for this host: two hosts in one session would answer each other's calls.
 *
 * @throws HaftError `conflict` if another host has it.
 */
export async function claimSession(redis: Connection, name: string, session: string): Promise<SessionClaim> {
  const self = `${hostname()} (process ${process.pid}) ${randomUUID()}`;
  const attempt = (gone = "") => take(redis, [name], self, CLAIM_MS, gone);
  const owner = await attempt();
  const other = owner !== null && isGone(owner) ? await attempt(owner) : owner;
  if (other !== null)
    return fail(
      "conflict",
      `The session ${session} is open on ${other.replace(/ [^ ]*$/, "")}.`,
      `Close it there, or start another session. If that host is gone, wait ${CLAIM_MS / 1_000} seconds.`,
    );
  const beat = setInterval(() => void attempt().catch(() => {}), CLAIM_MS / 5);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      await release(redis, [name], self).catch(() => {});
    },
  };
}

/** Whether the process that had the session ran on this machine and is dead. */
function isGone(owner: string): boolean {
  const [, host, pid] = /^(.*) \(process (\d+)\)/.exec(owner) ?? [];
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}
