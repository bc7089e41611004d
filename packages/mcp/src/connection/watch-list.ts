import type { Client } from "@modelcontextprotocol/client";

/** Milliseconds for which changes are gathered. Also the least time between two list requests. */
const GATHER_MS = 100;
const PAUSE_MS = 1_000;

/** Milliseconds before a lost subscription is renewed. */
const RELISTEN_MS = 5_000;

/**
 * Calls `refresh` when the server reports changed tools. However often it reports them, the list is requested once a second at most, and
 * once more after the last report. Returns a function that stops it.
 */
export function watchToolList(
  client: Client,
  refresh: (signal: AbortSignal) => Promise<void>,
  onError: (error: Error) => void,
): () => void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return () => {};
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStale = false;
  let last = Number.NEGATIVE_INFINITY;

  function schedule(): void {
    isStale = true;
    if (timer || isLooking || stopping.signal.aborted) return;
    timer = setTimeout(look, Math.max(GATHER_MS, last + PAUSE_MS - performance.now()));
    timer.unref();
  }

  async function look(): Promise<void> {
    timer = undefined;
    isLooking = true;
    isStale = false;
    last = performance.now();
    try {
      await refresh(stopping.signal);
    } catch (thrown) {
      if (!stopping.signal.aborted) onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    isLooking = false;
    if (isStale) schedule();
  }

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const subscription = await client.listen({ toolsListChanged: true }, { signal: stopping.signal });
        if ((await subscription.closed) !== "remote") return;
        // The server does not repeat changes from the gap.
        schedule();
      } catch (thrown) {
        if (stopping.signal.aborted) return;
        onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
      await pause(RELISTEN_MS, stopping.signal);
      if (client.transport === undefined) return;
    }
  }

  client.setNotificationHandler("notifications/tools/list_changed", schedule);
  if (client.getProtocolEra() === "modern") void listen();
  return () => {
    stopping.abort();
    clearTimeout(timer);
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
