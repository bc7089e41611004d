import type { Batch, CallRun } from "./call-run.ts";

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
  const callRuns: CallRun[] = [];
  const abort = () => abortAll(callRuns, signal?.reason);
  let closed = false;
  let told = 0;
  let landed = 0;
  let whole: PromiseWithResolvers<boolean> | undefined;

  function check(): void {
    if (!closed) return;
    if (told >= callRuns.length) whole?.resolve(callRuns.every(({ safe }) => safe === true));
    // The host's signal may live for a whole session. It must not keep every batch alive.
    if (landed >= callRuns.length) signal?.removeEventListener("abort", abort);
  }

  // One listener for all calls, because a signal with a thousand listeners is slow and warns.
  signal?.addEventListener("abort", abort, { once: true });
  return {
    id,
    turn,
    messageId,
    callRuns,
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
    settle(callRun, safe) {
      if (callRun.safe !== undefined) return;
      callRun.safe = safe;
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

function abortAll(callRuns: readonly CallRun[], reason: unknown): void {
  for (const callRun of callRuns) callRun.controller.abort(reason);
}

/** Ends calls that have not started yet, because a person stopped the batch. */
export function stopBatch(batch: Batch, reason: string): void {
  batch.stopped = reason;
  for (const callRun of batch.callRuns) if (!callRun.running) callRun.controller.abort(new BatchStopped(reason));
}

/** The abort reason of waiting calls when a person denied another call of their batch. */
export class BatchStopped extends Error {
  override name = "BatchStopped";
}
