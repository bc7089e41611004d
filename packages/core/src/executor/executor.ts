import { DEFAULT_CONCURRENT } from "../policy/settings/tighten.ts";
import { createBatch } from "./batch.ts";
import type { CallOutcome, CallRequest } from "./call.ts";
import { endBatch } from "./execution/batch-end.ts";
import { type Explanation, explain } from "./explain.ts";
import type { Pending, Services } from "./flight.ts";
import { invoke, launch, refuseRepeated } from "./launch.ts";
import { createLoopGuard } from "./loop-guard.ts";
import type { Machine } from "./machine.ts";
import { claimsConflict } from "./schedule/claim.ts";
import { createLocks } from "./schedule/locks.ts";
import { createSlots } from "./schedule/slots.ts";
import { createUnderway } from "./schedule/underway.ts";

/** Calls of one model message, added as they become complete. */
export interface OpenBatch {
  /**
   * Starts a call as soon as nothing stands in its way. The promise never rejects. A signal cancels this call alone. A
   * host that hands over its calls late may still add after `end`.
   */
  add(request: CallRequest, options?: { readonly signal?: AbortSignal }): Promise<CallOutcome>;
  /** No more calls will come. Every call has exactly one outcome, in the order in which they were added. */
  end(): Promise<readonly CallOutcome[]>;
  /** The message broke off: what has not started does not start, what runs may finish. */
  discard(reason: string): Promise<readonly CallOutcome[]>;
}

/** What is said about the calls of one model message together. */
export interface BatchOptions {
  /** Counts the model's messages from 1. Default: one more than the last. */
  readonly turn?: number;
  /** The id of that message, for tools that want to know it. Default: one that Haft makes. */
  readonly messageId?: string;
  /** Cancels every call of the batch. */
  readonly signal?: AbortSignal;
  /**
   * Nothing becomes real: commands run in a view of the workspace and show what they would change; other calls that
   * would change something show what they would do and are not carried out.
   */
  readonly dryRun?: boolean;
}

/** Runs calls through the pipeline. One executor serves one agent; agents of a session share locks through `with`. */
export interface Executor {
  open(options?: BatchOptions): OpenBatch;
  /** All calls of a message at once. */
  run(requests: readonly CallRequest[], options?: BatchOptions): Promise<readonly CallOutcome[]>;
  /** What would be decided. */
  explain(request: CallRequest): Promise<Explanation>;
  /** An executor for another agent of the same session: other rules or ports, the same locks and slots. */
  with(changes: Partial<Machine>): Executor;
  /**
   * No call runs from now on, also of those that came by `with`; those under way are cancelled. Resolves when each of them has
   * its result. Questions to people are for who asks them to end.
   */
  close(reason: string): Promise<void>;
}

/** An executor for one agent over all that the machine names. Nothing runs until it is given calls. */
export function createExecutor(machine: Machine): Executor {
  const services: Services = {
    locks: createLocks(claimsConflict(machine.concurrency ?? "effects")),
    slots: createSlots(machine.maxConcurrent ?? DEFAULT_CONCURRENT),
    invoke,
    underway: createUnderway(),
  };
  return executorOn({ ...machine, seen: machine.seen ?? new Map() }, services);
}

function executorOn(given: Machine, services: Services): Executor {
  // Each agent goes round in its own circles.
  const machine: Machine = { ...given, loopGuard: given.loopGuard ?? createLoopGuard() };
  let turns = 0;

  function open({ turn = turns + 1, messageId, signal, dryRun = false }: BatchOptions = {}): OpenBatch {
    turns = turn;
    const id = `${machine.session.id}:${machine.agent.id}:${turn}`;
    const batch = createBatch({ id, turn, messageId, signal, dryRun });
    const ids = new Set<string>();
    const whole = <T>(then: (outcomes: readonly CallOutcome[]) => Pending<T>): Promise<T> => {
      batch.close();
      const [first] = batch.outcomes;
      // Most batches are one call, and waiting for one is cheaper than for all of one.
      return batch.outcomes.length === 1 ? first!.then((only) => then([only])) : Promise.all(batch.outcomes).then(then);
    };
    let ended: { readonly calls: number; readonly outcomes: Promise<readonly CallOutcome[]> } | undefined;
    return {
      add(request, { signal: own } = {}) {
        const repeated = ids.has(request.id);
        ids.add(request.id);
        const outcome = repeated
          ? refuseRepeated(machine, batch, request)
          : launch(machine, services, batch, request, own ? { signal: own } : {});
        batch.outcomes.push(outcome);
        return outcome;
      },
      end() {
        const calls = batch.outcomes.length;
        // Asked twice, the hooks at the end of a batch still run once.
        if (ended?.calls !== calls) {
          ended = { calls, outcomes: whole((outcomes) => endBatch(machine, batch, outcomes)) };
        }
        return ended.outcomes;
      },
      discard(reason) {
        for (const flight of batch.flights) if (!flight.running) flight.controller.abort(new Error(reason));
        return whole((outcomes) => outcomes);
      },
    };
  }

  return {
    open,
    run(requests, options) {
      const batch = open(options);
      for (const request of requests) batch.add(request);
      return batch.end();
    },
    explain: (request) => explain(machine, services, request),
    with: (changes) => executorOn({ ...given, ...changes }, services),
    async close(reason) {
      services.over ??= new Error(reason);
      for (const flight of services.underway.all()) flight.controller.abort(services.over);
      await services.underway.emptied();
    },
  };
}
