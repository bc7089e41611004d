import { DEFAULT_CONCURRENT } from "../policy/settings/model.ts";
import { createBatch } from "./batch.ts";
import type { CallOutcome, CallRequest } from "./call.ts";
import type { Pending, Services } from "./call-run.ts";
import { endBatch } from "./execution/batch-end.ts";
import type { Explanation } from "./explain.ts";
import { invoke, launch, refuseRepeated } from "./launch.ts";
import { createLoopGuard } from "./loop-guard.ts";
import type { Machine } from "./machine.ts";
import { claimsConflict, passesAsking } from "./schedule/claim.ts";
import { createLocks } from "./schedule/locks.ts";
import { createSlots } from "./schedule/slots.ts";
import { createUnderway } from "./schedule/underway.ts";

/** Calls of one model message, added as each becomes complete. */
export interface OpenBatch {
  /**
   * Starts a call as soon as nothing blocks it. The promise never rejects. The signal cancels only this call. A host
   * that submits its calls late may still add after `end`.
   */
  add(request: CallRequest, options?: { readonly signal?: AbortSignal }): Promise<CallOutcome>;
  /** No more calls will come. Every call has exactly one outcome, in the order of adding. */
  end(): Promise<readonly CallOutcome[]>;
  /** The message broke off: waiting calls do not start, running calls may finish. */
  discard(reason: string): Promise<readonly CallOutcome[]>;
}

/** Options for all calls of one model message. */
export interface BatchOptions {
  /** Number of the model's message, from 1. Default: one more than the last. */
  readonly turn?: number;
  /** The id of that message, for tools that need it. Default: Haft generates one. */
  readonly messageId?: string;
  /** Cancels every call of the batch. */
  readonly signal?: AbortSignal;
  /**
   * Makes nothing real. Commands run in a view of the workspace and show what they would change. Other calls that would
   * change something show it and are not carried out.
   */
  readonly dryRun?: boolean;
}

/** Runs calls through the pipeline. One executor serves one agent; the agents of a session share locks through `with`. */
export interface Executor {
  open(options?: BatchOptions): OpenBatch;
  /** Runs all calls of a message at once. */
  run(requests: readonly CallRequest[], options?: BatchOptions): Promise<readonly CallOutcome[]>;
  /** Returns what would be decided. */
  explain(request: CallRequest): Promise<Explanation>;
  /** Makes an executor for another agent of the same session: other rules or ports, the same locks and slots. */
  with(changes: Partial<Machine>): Executor;
  /**
   * Starts no further calls, also none of executors made by `with`, and cancels running calls. Resolves when each of
   * them has its result. Open questions to people stay; the code that asked has to end them.
   */
  close(reason: string): Promise<void>;
}

/** Makes an executor for one agent from the parts in the machine. Nothing runs until it gets calls. */
export function createExecutor(machine: Machine): Executor {
  const locks = createLocks(claimsConflict(machine.concurrency ?? "effects"), passesAsking);
  const slots = createSlots(machine.maxConcurrent ?? DEFAULT_CONCURRENT);
  const services: Services = {
    locks: machine.shareLocks?.(locks) ?? locks,
    slots: machine.shareSlots?.(slots) ?? slots,
    invoke,
    underway: createUnderway(),
  };
  return executorOn({ ...machine, seen: machine.seen ?? new Map() }, services);
}

function executorOn(given: Machine, services: Services): Executor {
  // Each agent has its own loops.
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
      // Most batches are one call, and waiting for one call is cheaper than `Promise.all` of one.
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
        // If called twice, the hooks at the end of a batch still run once.
        if (ended?.calls !== calls) {
          ended = { calls, outcomes: whole((outcomes) => endBatch(machine, batch, outcomes)) };
        }
        return ended.outcomes;
      },
      discard(reason) {
        for (const callRun of batch.callRuns) if (!callRun.running) callRun.controller.abort(new Error(reason));
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
    explain: async (request) => (await import("./explain.ts")).explain(machine, services, request),
    with: (changes) => executorOn({ ...given, ...changes }, services),
    async close(reason) {
      services.over ??= new Error(reason);
      for (const callRun of services.underway.all()) callRun.controller.abort(services.over);
      await services.underway.emptied();
    },
  };
}
