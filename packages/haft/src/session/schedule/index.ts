/** @module Schedules: rehearsed, approved once, and run without hanging. */
export { createFire, type FiringOptions } from "./fire.ts";
export { rehearse } from "./rehearse.ts";
export { runSchedules, type SchedulesRun } from "./run-schedules.ts";
