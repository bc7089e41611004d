import { homedir } from "node:os";
import { resolve } from "node:path";
import { createClock } from "@haft/core/tool";
import { stateFolder } from "@haft/service";
import {
  createScheduleHost,
  type FiringEnd,
  openSchedules,
  type ScheduleHost,
  type ScheduleStore,
  type StoredSchedule,
} from "@haft/service/schedules";
import { real } from "../../app/workspace.ts";
import { createFire, type FiringOptions } from "./fire.ts";

/** Options of a host of schedules. */
export interface SchedulesRun extends FiringOptions {
  readonly signal: AbortSignal;
  /** Called when a firing asks something. */
  onAsk?(schedule: StoredSchedule, title: string): void;
  /** Called when a firing has ended. */
  onEnd?(schedule: StoredSchedule, end: FiringEnd): void;
}

/** The schedules of the user, and a host for them in this process. */
export interface OpenSchedules {
  readonly store: ScheduleStore;
  readonly host: ScheduleHost;
}

/** Opens the schedules. The host does nothing until it is told to. */
export async function openScheduleHost({
  onAsk,
  onEnd,
  ...options
}: Omit<SchedulesRun, "signal">): Promise<OpenSchedules> {
  const { home, stateDir, env = process.env } = options;
  const store = await openSchedules(
    stateFolder(real(home ?? homedir()), typeof stateDir === "string" ? { HAFT_STATE_DIR: resolve(stateDir) } : env),
  );
  const host = createScheduleHost({
    ...{ store, clock: createClock(), fire: createFire(options, onAsk) },
    ...(onEnd ? { onEnd } : {}),
  });
  return { store, host };
}

/** Runs the schedules of the user in this process until the signal fires, then ends what runs. Never rejects for a firing. */
export async function runSchedules({ signal, ...options }: SchedulesRun): Promise<void> {
  const { store, host } = await openScheduleHost(options);
  try {
    await host.run(signal);
  } finally {
    store.close();
  }
}
