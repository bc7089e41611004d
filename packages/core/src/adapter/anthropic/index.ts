/** @module Anthropic's Messages API: tools, calls, results, plain and streamed. */
export * from "./anthropic.ts";
export { anthropicResult } from "./results.ts";
export type { StreamedTurn, StreamOptions } from "./stream.ts";
export type * from "./wire.ts";
