import type { Clock } from "@haft/core/tool";
import type { FiringEnd, ScheduleStore, StoredSchedule } from "./store.ts";

/** Runs one firing. It may fail or hang: the host ends it. */
export type Fire = (schedule: StoredSchedule, signal: AbortSignal) => Promise<FiringEnd>;

/** The store, the clock and the work of a host of schedules. */
export interface ScheduleHostOptions {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  readonly fire: Fire;
  /** Most milliseconds for one firing. Default: an hour. */
  readonly mostMs?: number;
  /** Called when a firing has ended. */
  onEnd?(schedule: StoredSchedule, end: FiringEnd): void;
}

/** Runs schedules in this process. */
export interface ScheduleHost {
  /** Begins what is due now. */
  tick(): void;
  /** Ticks until the signal fires, then ends what runs. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
}

/** A firing later than this was missed: no host was there. Also the longest sleep between two looks. */
const GRACE_MS = 90_000;
const LOOK_MS = 15_000;
const MOST_MS = 60 * 60_000;
/** Most firings at the same time. Others that are due begin as soon as one of them has ended. */
const MOST_AT_ONCE = 4;
/** Milliseconds that an ended firing may take to end by itself. */
const END_MS = 10_000;

/** A host of schedules. Several may run on one machine: each firing belongs to one of them. */
export function createScheduleHost({ store, clock, fire, mostMs = MOST_MS, onEnd }: ScheduleHostOptions): ScheduleHost {
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  const turn = turns(MOST_AT_ONCE);

  async function settle(schedule: StoredSchedule, id: string): Promise<void> {
    const over = await turn();
    const end = await bounded(schedule).finally(over);
    store.end(id, end, clock.now());
    onEnd?.(schedule, end);
  }

  /** A firing ends whatever its work does. */
  async function bounded(schedule: StoredSchedule): Promise<FiringEnd> {
    if (!schedule.isApproved)
      return { status: "needs_you", text: "It was changed after its approval. Add it again.", open: [] };
    if (closing.signal.aborted) return { status: "failed", text: "Its host stopped before it started." };
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, closing.signal]);
    const over = new AbortController();
    const work = fire(schedule, signal).then(checked, failed);
    const limit = late(mostMs).then(async (): Promise<FiringEnd> => {
      own.abort(new DOMException("it took too long", "TimeoutError"));
      await Promise.race([work, late(END_MS)]);
      return { status: "failed", text: `It took longer than ${Math.round(mostMs / 60_000)} minutes and was stopped.` };
    });
    const ended = await Promise.race([work, limit]);
    over.abort();
    return ended;

    function late(ms: number): Promise<void> {
      return clock.sleep(ms, over.signal).catch(() => new Promise<never>(() => {}));
    }
  }

  const host: ScheduleHost = {
    tick() {
      for (const { schedule, id } of store.begin(clock.now(), GRACE_MS)) {
        const work = settle(schedule, id).finally(() => running.delete(work));
        running.add(work);
      }
    },
    async run(signal) {
      while (!signal.aborted) {
        host.tick();
        const next = store.nextAt();
        const wait = next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, next - clock.now()));
        await clock.sleep(Math.max(wait, 20), signal).catch(() => {});
      }
      closing.abort(signal.reason);
      await host.idle();
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
  return host;
}

/** Gives out so many places, in the order in which they were asked for. Each place is given back by its function. */
function turns(places: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async () => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    return () => {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
  };
}

/** A firing with an open question never counts as a success. */
const checked = (end: FiringEnd): FiringEnd =>
  end.status === "completed" && end.open && end.open.length > 0 ? { ...end, status: "needs_you" } : end;

const failed = (thrown: unknown): FiringEnd => ({
  status: "failed",
  text: thrown instanceof Error ? thrown.message : String(thrown),
});
