/** @module The Gemini API: tools, calls, results, plain and streamed. */
export * from "./gemini.ts";
export type * from "./wire.ts";
