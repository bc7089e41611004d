/** @module Pure mappings between Haft and the formats of models and SDKs. */
export * from "./ai-sdk/index.ts";
export * from "./anthropic/index.ts";
export { cutCall } from "./cut-call.ts";
export * from "./gemini/index.ts";
export { type HostCall, type HostCalls, hostCalls } from "./host-calls.ts";
export { modelContent, withOwnWords } from "./model-content.ts";
export * from "./openai/index.ts";
export * from "./openai-chat/index.ts";
export { type ImageType, isImageType } from "./result-media.ts";
export { dataUrl, isFile, type ResultFile, type ResultPart, resultParts } from "./result-parts.ts";
export type * from "./toolbox.ts";
export type { RunOptions, StreamRunOptions } from "./turn.ts";
export { type WireNames, wireNames } from "./wire-names.ts";
