/** @module The machine: one pipeline for every call, ordered by effects. */
export type { ApprovalNote, CallOutcome, CallRequest, CallStatus } from "./call.ts";
export type * from "./event.ts";
export { type BatchOptions, createExecutor, type Executor, type OpenBatch } from "./executor.ts";
export type { Explanation } from "./explain.ts";
export type * from "./journal.ts";
export type { Judge, Machine, Origins, Pieces, Recorder } from "./machine.ts";
export { type Claim, type Concurrency, claimsConflict } from "./schedule/claim.ts";
export type * from "./schedule/dispatch.ts";
export { createLocks, type Locks, type Ticket } from "./schedule/locks.ts";
export { createSlots, type Slots } from "./schedule/slots.ts";
