import { setTimeout as wait } from "node:timers/promises";
import type { McpManager, McpManagerOptions } from "@haft/tools";

/** Milliseconds from the start of the servers for which a session's first list of tools waits for them. */
const FROM_SERVERS_MS = 130;

/**
 * Milliseconds from the start of the process, where that was just now: whoever typed a command waits for all that it does. Of the
 * 300 that the first request may take, the rest is for putting it together; servers that were only begun have a little.
 */
const FROM_PROCESS_MS = 200;
const LEAST_MS = 40;

/** Milliseconds before the list goes in which nothing is begun that holds the process up for as long. */
const NEAR_MS = 60;

/** Milliseconds after it for the request to get on its way. */
const ON_ITS_WAY_MS = 100;

/** The first list of tools of a session. Whatever is not ready by then is in the next. */
export interface FirstOffer {
  /** Waits for the servers that are on their way, but not for long, and only this time. */
  ready(servers: Pick<McpManager, "settled">): Promise<void>;
  /** For work that holds the process up: resolves when the request with the first list is out of the way. */
  readonly quiet: NonNullable<McpManagerOptions["quiet"]>;
}

/** Begins when the servers begin: then, on the clock of the process. */
export function firstOffer(begun = performance.now()): FirstOffer {
  const goesAt = begun < FROM_PROCESS_MS ? Math.max(FROM_PROCESS_MS, begun + LEAST_MS) : begun + FROM_SERVERS_MS;
  const { promise: gone, resolve: goes } = Promise.withResolvers<void>();
  let state: "unasked" | "awaited" | "gone" = "unasked";
  let outAt = Number.POSITIVE_INFINITY;
  let out: Promise<void> | undefined;
  let loads = false;
  const { promise: hopeless, resolve: giveUp } = Promise.withResolvers<void>();

  async function clear(): Promise<void> {
    await gone;
    await wait(outAt - performance.now());
    outAt = 0;
  }

  return {
    async ready(servers) {
      if (state === "gone") return;
      state = "awaited";
      const leftMs = goesAt - performance.now();
      if (leftMs > 0) await Promise.race([servers.settled(leftMs), hopeless]);
      state = "gone";
      outAt = Math.min(outAt, performance.now() + ON_ITS_WAY_MS);
      goes();
    },
    quiet(work) {
      const now = performance.now();
      const isNear = state === "awaited" ? goesAt - now < NEAR_MS : state === "gone" && now < outAt;
      if (!isNear) {
        loads ||= work === "load";
        return undefined;
      }
      // Without that code no server can be ready in time: what is left of the time would pass for nothing.
      if (!loads) giveUp();
      // Its clock runs only where somebody waits: it keeps the process alive, which may have nothing else to do.
      out ??= clear();
      return out;
    },
  };
}
