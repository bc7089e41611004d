import type { Policy } from "@haft/core/policy";
import type { Browser } from "@haft/core/tool";
import type { SessionBrowser } from "@haft/service/web";
import type { Job } from "@haft/workers";
import type { Parts } from "../app/public-api.ts";

interface Held {
  policy: Policy;
  readonly browser: SessionBrowser;
}

/** The browsers that a worker holds: each session has its own, and sees no page of another. */
export function sessionBrowsers({ browserFor }: Pick<Parts, "browserFor">) {
  const held = new Map<string, Held>();
  const keyOf = ({ tenant, session }: Pick<Job, "tenant" | "session">): string => JSON.stringify([tenant, session]);
  return {
    /** The browser of the job's session, which obeys the rules that came with the latest job. */
    of(job: Job, policy: Policy): Browser | undefined {
      const known = held.get(keyOf(job));
      if (known) {
        known.policy = policy;
        return known.browser;
      }
      if (!browserFor) return undefined;
      const made: Held = { policy, browser: browserFor(() => made.policy) };
      held.set(keyOf(job), made);
      return made.browser;
    },
    async end(tenant: string, session: string): Promise<void> {
      const key = keyOf({ tenant, session });
      const ending = held.get(key);
      held.delete(key);
      await ending?.browser.close();
    },
    async close(): Promise<void> {
      await Promise.all([...held.values()].map(({ browser }) => browser.close()));
      held.clear();
    },
  };
}
