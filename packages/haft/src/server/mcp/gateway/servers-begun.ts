import { setTimeout as wait } from "node:timers/promises";
import type { Haft } from "../../../app/haft.ts";

/**
 * Milliseconds from the start for which whoever asks what there is waits for servers that are on their way: many clients ask
 * once. Some give their servers ten seconds to begin.
 */
const ALL_MS = 5_000;

/** Milliseconds that the others have once one is there: what hangs must not keep that one from its clients for long. */
const OTHERS_MS = 2_000;

/** Gives what waits for the configured servers, counted from here; all who ask wait for the same. */
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
