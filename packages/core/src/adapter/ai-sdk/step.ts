import type { CallOutcome, CallRequest, OpenBatch } from "../../executor/index.ts";
import type { Toolbox } from "../toolbox.ts";
import { canonical } from "./canonical.ts";

/** The calls of one model message, which the AI SDK hands over one by one. */
export interface Step {
  /** Starts a call that can do no harm, while the message still streams. Not when an earlier one has to wait. */
  startEarly(request: CallRequest): void;
  /** An earlier call waits for its turn, so no later one may overtake it. */
  hold(): void;
  /** Runs a call, or joins the one that has started already. Never rejects. */
  run(request: CallRequest, signal: AbortSignal | undefined): Promise<CallOutcome>;
  /** Cancels what was started early and never asked for: the message ended in a way that runs nothing. */
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
      // All calls of a step come in one go; whoever waits for the batch to be complete waits no longer than that.
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
      if (early.size > 0) cancelEarly.abort(new Error("the message ended without this call"));
    },
  };
}

const digestOf = ({ tool, input }: CallRequest): string => canonical([tool, input]);
