import type { Progress } from "../../tool/index.ts";
import { emit } from "../emit.ts";
import type { Flight } from "../flight.ts";

/** People cannot read faster than this, and a wire should not carry more. */
const INTERVAL_MS = 50;

/** Output that nobody has been told of yet is kept up to this length; its end matters most. */
const PENDING_CHARS = 30_000;

export interface ProgressFeed {
  update(progress: Progress): void;
  /** Tells what is still untold. Whatever comes afterwards is ignored. */
  end(): void;
}

/** Gathers the news of one running call: in order, not too often, never more than a little memory, none after its end. */
export function createProgress(flight: Flight): ProgressFeed {
  const { clock } = flight.machine.ports;
  let pending: Progress | undefined;
  let lastTold = Number.NEGATIVE_INFINITY;
  let scheduled = false;
  let ended = false;

  function tell(): void {
    scheduled = false;
    if (!pending) return;
    const progress = pending;
    pending = undefined;
    lastTold = clock.now();
    emit(flight, { type: "tool:execution:progress", progress });
  }

  function schedule(): void {
    const wait = lastTold + INTERVAL_MS - clock.now();
    if (wait <= 0) tell();
    else if (!scheduled) {
      scheduled = true;
      clock.sleep(wait).then(tell, () => {});
    }
  }

  return {
    update(progress) {
      if (ended || typeof progress !== "object" || progress === null) return;
      const { output: _, ...lasting } = progress;
      flight.live = merge(flight.live, lasting);
      pending = merge(pending ?? {}, progress);
      schedule();
    },
    end() {
      if (!ended) tell();
      ended = true;
    },
  };
}

function merge(into: Progress, news: Progress): Progress {
  const metadata = news.metadata || into.metadata ? { metadata: { ...into.metadata, ...news.metadata } } : {};
  const output = (into.output ?? "") + (news.output ?? "");
  return { ...into, ...news, ...metadata, ...(output ? { output: output.slice(-PENDING_CHARS) } : {}) };
}
