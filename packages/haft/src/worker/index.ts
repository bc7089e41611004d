/** @module A worker: runs the calls that hosts put on a queue. */
export { type StartOptions, startWorker } from "./start-worker.ts";
