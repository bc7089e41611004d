import type { Batch, Flight } from "./flight.ts";

/** A batch without calls. */
export function createBatch(id: string, turn: number, signal: AbortSignal, dryRun = false): Batch {
  const { promise: complete, resolve } = Promise.withResolvers<boolean>();
  const settled = new Map<Flight, boolean>();
  const landed = new Set<Flight>();
  const abort = () => abortAll(batch.flights, signal.reason);
  let closed = false;
  const batch: Batch = {
    id,
    turn,
    flights: [],
    outcomes: [],
    signal,
    dryRun,
    spent: 0,
    media: 0,
    asking: new Set(),
    answered: new Set(),
    complete,
    settle(flight, safe) {
      if (!settled.has(flight)) settled.set(flight, safe);
      check();
    },
    landed(flight) {
      landed.add(flight);
      check();
    },
    close() {
      closed = true;
      check();
    },
  };
  // One listener for all calls: a signal with a thousand listeners is slow and warns.
  signal.addEventListener("abort", abort, { once: true });
  function check(): void {
    if (!closed) return;
    if (settled.size >= batch.flights.length) resolve([...settled.values()].every(Boolean));
    // The host's signal may live for a whole session; it must not keep every batch alive.
    if (landed.size >= batch.flights.length) signal.removeEventListener("abort", abort);
  }
  return batch;
}

function abortAll(flights: readonly Flight[], reason: unknown): void {
  for (const flight of flights) flight.controller.abort(reason);
}

/** Ends what has not started yet, because a person stopped the batch. */
export function stopBatch(batch: Batch, reason: string): void {
  batch.stopped = reason;
  for (const flight of batch.flights) if (!flight.running) flight.controller.abort(new BatchStopped(reason));
}

/** The abort reason of calls that were waiting when a person said no to another call of their batch. */
export class BatchStopped extends Error {
  override name = "BatchStopped";
}
