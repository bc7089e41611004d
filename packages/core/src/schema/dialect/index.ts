/** @module Input schemas in the subsets that model APIs accept. */
export { flatRoot } from "./flat-root.ts";
export { toGeminiParameters } from "./gemini.ts";
export { withoutNulls } from "./nullable.ts";
export { type OpenAiParameters, toOpenAiParameters } from "./openai.ts";
