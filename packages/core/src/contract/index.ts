/** @module The promises of hosts and stores, as checks that any test runner can run. */
export type { Check } from "./check.ts";
export { type HostPlace, hostChecks } from "./host.ts";
export { type JournalPlace, journalChecks } from "./journal.ts";
export { approvalChecks, recordChecks, spillChecks } from "./stores.ts";
