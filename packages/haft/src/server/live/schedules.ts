import type { StateFolder } from "@haft/service";
import type { FiringEnd, ScheduleStore, StoredSchedule } from "@haft/service/schedules";
import type { AgentSessionOptions } from "../../session/index.ts";
import { type FiringOptions, openScheduleHost } from "../../session/schedule/index.ts";

/** The schedules of the user, in every folder, and their host in this process. */
export interface LiveSchedules {
  readonly store: ScheduleStore;
  on(listener: (schedule: StoredSchedule, end: FiringEnd) => void): () => void;
  /** Runs what is due, at once. */
  tick(): void;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** Opens the schedules and runs those that are due, until it is closed. */
export async function openLiveSchedules(state: StateFolder, base: AgentSessionOptions): Promise<LiveSchedules> {
  const closing = new AbortController();
  const listeners = new Set<Parameters<LiveSchedules["on"]>[0]>();
  const { home, env, model, openModel, onNotice, wrapModel } = base;
  const given = { home, env, model, openModel, onNotice, wrapModel };
  const { store, host } = await openScheduleHost({
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as FiringOptions),
    stateDir: state.root,
    onEnd(schedule, end) {
      for (const listener of [...listeners]) listener(schedule, end);
    },
  });
  const ended = host.run(closing.signal);
  return {
    store,
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tick: () => host.tick(),
    async close() {
      closing.abort(new DOMException("the server is shutting down", "AbortError"));
      await ended;
      store.close();
    },
  };
}
