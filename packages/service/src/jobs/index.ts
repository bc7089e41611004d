/** @module Background jobs: programs that outlive the call that started them, and end with their session. */
export { withLeftovers } from "./leftovers.ts";
export type { JobsOptions } from "./options.ts";
export { createJobs, type JobStore } from "./store.ts";
