/** @module Print mode: one prompt for scripts, and the stream that hosts of the Claude Agent SDK speak. */

export { FlagError, type PrintFlags, readFlags } from "./flags.ts";
export { runPrint } from "./run-print.ts";
export type { PrintOptions } from "./stream.ts";
