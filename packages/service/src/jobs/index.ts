/** @module Background jobs: programs that outlive the call that started them, and end with their session. */
export { withLeftovers } from "./leftovers.ts";
export { createJobs, type JobStore, type JobsOptions } from "./store.ts";
