import type { Job } from "../job/job.ts";
import type { Connection } from "../redis/connect.ts";
import type { Names } from "../redis/names.ts";

type Owner = Pick<Job, "tenant" | "session">;

/**
 * The sessions that a worker does something for: it holds a browser, or asks a question. `end` gets those that no host has
 * had open for `graceMs`: a host renews its claim some seconds after Redis was away.
 */
export function heldSessions(
  redis: Connection,
  names: Names,
  graceMs: number,
  end: (tenant: string, session: string) => void,
) {
  const missingSince = new Map<string, Owner & { since: number | undefined }>();
  return {
    add({ tenant, session }: Owner): void {
      const key = `${tenant}:${session}`;
      if (!missingSince.has(key)) missingSince.set(key, { tenant, session, since: undefined });
    },
    async check(): Promise<void> {
      for (const [key, owner] of missingSince) {
        const isOpen = (await redis.exists(names.session(key))) === 1;
        owner.since = isOpen ? undefined : (owner.since ?? performance.now());
        if (owner.since === undefined || performance.now() - owner.since < graceMs) continue;
        missingSince.delete(key);
        end(owner.tenant, owner.session);
      }
    },
  };
}
