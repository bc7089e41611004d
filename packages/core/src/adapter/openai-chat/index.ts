/** @module OpenAI's Chat Completions: tools, calls, results, plain and streamed. */
export * from "./openai-chat.ts";
export type * from "./wire.ts";
