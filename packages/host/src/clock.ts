import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@haft/core/tool";

/** The machine's clock. */
export const createClock = (): Clock => ({
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
});
