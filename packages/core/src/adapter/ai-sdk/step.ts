import type { CallOutcome, CallRequest, OpenBatch } from "../../executor/index.ts";
import type { Toolbox } from "../toolbox.ts";
import { canonical } from "./canonical.ts";

/** The calls of one model message, which the AI SDK passes one by one. */
export interface Step {
  /** Starts a harmless call while the message still streams. Does nothing if an earlier call has to wait. */
  startEarly(request: CallRequest): void;
  /** An earlier call waits for its turn, so later calls must not overtake it. */
  hold(): void;
  /** Runs a call, or joins it if it has already started. Never rejects. */
  run(request: CallRequest, signal: AbortSignal | undefined): Promise<CallOutcome>;
  /** Cancels calls that were started early but never requested: the message ended in a way that runs nothing. */
  abandon(): void;
}

export function createStep(toolbox: Toolbox, turn: number): Step {
  const early = new Map<string, { readonly outcome: Promise<CallOutcome>; readonly digest: string }>();
  const cancelEarly = new AbortController();
  let batch: OpenBatch | undefined;
  let held = false;

  function add(request: CallRequest, signal: AbortSignal | undefined): Promise<CallOutcome> {
    if (!batch) {
      const open = toolbox.open({ turn });
      batch = open;
      // All calls of a step arrive in one tick, so waiting for the batch to be complete takes no longer than that.
      setTimeout(() => void open.end(), 0);
    }
    return batch.add(request, signal ? { signal } : {});
  }

  return {
    startEarly(request) {
      if (held) return;
      early.set(request.id, { outcome: add(request, cancelEarly.signal), digest: digestOf(request) });
    },
    hold() {
      held = true;
    },
    run(request, signal) {
      const started = early.get(request.id);
      early.delete(request.id);
      if (!started || started.digest !== digestOf(request)) return add(request, signal);
      signal?.addEventListener("abort", () => cancelEarly.abort(signal.reason), { once: true });
      if (signal?.aborted) cancelEarly.abort(signal.reason);
      return started.outcome;
    },
    abandon() {
      if (early.size > 0) cancelEarly.abort(new Error("the message ended before this call"));
    },
  };
}

const digestOf = ({ tool, input }: CallRequest): string => canonical([tool, input]);
