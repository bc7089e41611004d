/** @module Schedules: rehearsed, approved once, and run without hanging. */
export { createFire, type FiringOptions } from "./fire.ts";
export { rehearse } from "./rehearse.ts";
export { schedulesBeside } from "./run-beside.ts";
export { openScheduleHost, runSchedules, type SchedulesRun } from "./run-schedules.ts";
