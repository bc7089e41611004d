/** @module Schedules: prompts that run at given times. */
export { expressionProblem, nextTime } from "./expression.ts";
export { createScheduleHost, type Fire, type ScheduleHost, type ScheduleHostOptions } from "./host.ts";
export {
  type BegunFiring,
  type FiringEnd,
  openSchedules,
  type ScheduleRights,
  type ScheduleStore,
  type StoredSchedule,
} from "./store.ts";
