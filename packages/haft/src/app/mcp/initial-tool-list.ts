import { setTimeout as wait } from "node:timers/promises";
import type { McpManager, McpManagerOptions } from "@haft/mcp";

/** Milliseconds after the servers' start that a session's first tool list waits for them. */
const FROM_SERVERS_MS = 130;

/**
 * Milliseconds from the start of the process, if that was just now: the user of a command waits for everything that it does. Of
 * the 300 that the first request may take, the rest is for building it. Servers that have only just started get a short
 * minimum.
 */
const FROM_PROCESS_MS = 200;
const LEAST_MS = 40;

/** Milliseconds before the list is sent in which no work starts that blocks the process for as long. */
const NEAR_MS = 60;

/** Milliseconds for the request to be sent after the list. */
const ON_ITS_WAY_MS = 100;

/** The first tool list of a session. A tool that is not ready by then is in the next one. */
export interface InitialToolList {
  /** Waits briefly for the servers that are still connecting, the first time only. */
  ready(servers: Pick<McpManager, "settled">): Promise<void>;
  /** For work that blocks the process: resolves when the request with the first list has been sent. */
  readonly quiet: NonNullable<McpManagerOptions["quiet"]>;
}

/** Starts its clock together with the servers. `begun` is the time since the process started. */
export function initialToolList(begun = performance.now()): InitialToolList {
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
      // Without that code no server can be ready in time, so waiting longer is useless.
      if (!loads) giveUp();
      // The timer runs only if somebody waits: it keeps an otherwise idle process alive.
      out ??= clear();
      return out;
    },
  };
}
