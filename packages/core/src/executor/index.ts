/** @module The machine: one pipeline for every call, ordered by effects. */
export type { ApprovalNote, CallOutcome, CallRequest, CallStatus } from "./call.ts";
export * from "./event.ts";
export { type BatchOptions, createExecutor, type Executor, type OpenBatch } from "./executor.ts";
export type { Explanation } from "./explain.ts";
export * from "./journal.ts";
export type { Concurrency, Judge, Machine, Origins, Recorder } from "./machine.ts";
