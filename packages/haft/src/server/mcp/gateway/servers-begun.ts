import { setTimeout as wait } from "node:timers/promises";
import type { Haft } from "../../../app/haft.ts";

/**
 * Milliseconds from the start during which a list request waits for connecting servers: many clients ask only once.
 * Some clients give their servers ten seconds to start.
 */
const ALL_MS = 5_000;

/**
 * Milliseconds left for the others once one server is ready: a hanging server must not keep that one from clients for
 * long.
 */
const OTHERS_MS = 2_000;

/** Returns a function that waits for the configured servers, timed from this call; all callers share one wait. */
export function serversBegun({ mcp, registry }: Pick<Haft, "mcp" | "registry">): () => Promise<void> {
  const startedAt = performance.now();
  const enough = others();
  let begun: Promise<void> | undefined;

  async function others(): Promise<void> {
    if (!mcp.list().some(({ state }) => state === "ready"))
      await new Promise<void>((resolve) => {
        const end = registry.watch(() => {
          end();
          resolve();
        });
      });
    await wait(OTHERS_MS, undefined, { ref: false });
  }

  async function until(): Promise<void> {
    const leftMs = startedAt + ALL_MS - performance.now();
    if (leftMs > 0) await Promise.race([mcp.settled(leftMs), enough]);
  }

  return () => {
    begun ??= until();
    return begun;
  };
}
