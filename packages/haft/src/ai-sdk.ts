/** Haft's tools for the AI SDK (version 7): spread `aiSdk(toolbox)` into `streamText` or `generateText`. */
export { type AiSdkAdapter, type AiSdkOptions, type AiSdkOutput, aiSdk } from "@haft/core/adapter";
