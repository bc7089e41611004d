/** @module Calls on other machines: hosts put them on a queue, workers take them. The package `haft` loads it. */
export { type QueueReport, queueAdmin } from "./host/admin.ts";
export { openQueueHost, type QueueHost } from "./host/open-host.ts";
export type { QueueOptions } from "./host/options.ts";
export type { OutgoingCall } from "./host/sender.ts";
export { digestOf, type Job } from "./job/job.ts";
export { retryOf } from "./job/retry.ts";
export { openQueueWorker, type QueueWorker, type WorkerOptions } from "./worker/open-worker.ts";
