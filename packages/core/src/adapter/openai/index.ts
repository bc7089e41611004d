/** @module OpenAI's Responses API: tools, calls, results, plain and streamed. */
export * from "./openai.ts";
export type {
  OpenAiCall,
  OpenAiEvent,
  OpenAiItem,
  OpenAiItemOf,
  OpenAiOutput,
  OpenAiOutputPart,
  OpenAiResponse,
  OpenAiTool,
} from "./wire.ts";
