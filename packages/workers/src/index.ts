/** @module Calls on other machines: hosts put them on a queue, workers take them. */
export { type DrainOptions, drainWorker, type QueueReport, reportQueue } from "./host/admin.ts";
export { type HostOptions, type OutgoingCall, openQueueHost, type QueueHost } from "./host/open-host.ts";
export type { CallLimit, QueueOptions } from "./host/options.ts";
export type { Needs, PlacementRule } from "./host/placement.ts";
export { CONTRACT, digestOf, type Job, type Retry } from "./job/job.ts";
export { retryOf } from "./job/retry.ts";
export { writeKey } from "./job/seal.ts";
export type { WorkerInfo } from "./redis/roster.ts";
export { openQueueWorker, type QueueWorker, type WorkerOptions } from "./worker/open-worker.ts";
