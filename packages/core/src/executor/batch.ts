import type { Batch, Flight } from "./flight.ts";

/** The parts of a new batch. */
export interface NewBatch {
  readonly id: string;
  readonly turn: number;
  /** Default: the batch's own id. */
  readonly messageId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly dryRun?: boolean;
}

/** A batch without calls. */
export function createBatch({ id, turn, messageId = id, signal, dryRun = false }: NewBatch): Batch {
  const flights: Flight[] = [];
  const abort = () => abortAll(flights, signal?.reason);
  let closed = false;
  let told = 0;
  let landed = 0;
  let whole: PromiseWithResolvers<boolean> | undefined;

  function check(): void {
    if (!closed) return;
    if (told >= flights.length) whole?.resolve(flights.every(({ safe }) => safe === true));
    // The host's signal may live for a whole session. It must not keep every batch alive.
    if (landed >= flights.length) signal?.removeEventListener("abort", abort);
  }

  // One listener for all calls, because a signal with a thousand listeners is slow and warns.
  signal?.addEventListener("abort", abort, { once: true });
  return {
    id,
    turn,
    messageId,
    flights,
    outcomes: [],
    ...(signal ? { signal } : {}),
    dryRun,
    spent: 0,
    media: 0,
    complete() {
      whole ??= Promise.withResolvers();
      check();
      return whole.promise;
    },
    settle(flight, safe) {
      if (flight.safe !== undefined) return;
      flight.safe = safe;
      told++;
      check();
    },
    landed() {
      landed++;
      check();
    },
    close() {
      closed = true;
      check();
    },
  };
}

function abortAll(flights: readonly Flight[], reason: unknown): void {
  for (const flight of flights) flight.controller.abort(reason);
}

/** Ends calls that have not started yet, because a person stopped the batch. */
export function stopBatch(batch: Batch, reason: string): void {
  batch.stopped = reason;
  for (const flight of batch.flights) if (!flight.running) flight.controller.abort(new BatchStopped(reason));
}

/** The abort reason of waiting calls when a person denied another call of their batch. */
export class BatchStopped extends Error {
  override name = "BatchStopped";
}
