/** @module Schemas of every kind behind one Standard Schema object, and messages about inputs that do not fit. */
export { flatRoot } from "./dialect/flat-root.ts";
export { toGeminiParameters } from "./dialect/gemini.ts";
export { withoutNulls } from "./dialect/nullable.ts";
export { type OpenAiParameters, toOpenAiParameters } from "./dialect/openai.ts";
export * from "./error.ts";
export { nearest } from "./nearest.ts";
export { toParameters } from "./parameters.ts";
export * from "./parse.ts";
export { asPath, toPublicJson } from "./path.ts";
export { lazySchema, type SchemaOptions, toSchema } from "./schema.ts";
export type * from "./standard.ts";
