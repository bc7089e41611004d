import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** How much longer everything takes on this machine than on a quiet one: the load for each core, now or lately. */
export const stretch = (): number => Math.max(1, Math.max(running(), loadavg()[0]!) / availableParallelism());

/**
 * A limit of `ms` on a quiet machine, and as much longer as the machine is busy. For work that would take far longer, or
 * for ever, if it were wrong. Prefer waiting for an event.
 */
export const patience = (ms: number): number => ms * stretch();

/** The processes that are ready to run now, if the system tells: the load average lags by a minute. */
function running(): number {
  try {
    return Number(/ (\d+)\//.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
