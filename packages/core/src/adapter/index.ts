/** @module Pure mappings between Haft and the formats of models and SDKs. */
export * from "./ai-sdk/index.ts";
export * from "./anthropic/index.ts";
export { cutCall } from "./cut-call.ts";
export { modelContent, withOwnWords } from "./model-content.ts";
export { type ImageType, isImageType } from "./result-media.ts";
export * from "./toolbox.ts";
export { type WireNames, wireNames } from "./wire-names.ts";
