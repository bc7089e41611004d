/** @module The promises of hosts and stores, as checks that any test runner can run. */
export type { Check } from "./check.ts";
export { hostChecks } from "./host.ts";
export { journalChecks } from "./journal.ts";
export { approvalChecks, recordChecks, spillChecks } from "./stores.ts";
