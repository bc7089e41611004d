/** @module Haft in the frameworks of others: each file is an entry of the package. */
export { type AnthropicRunnerOptions, anthropicRunner } from "./anthropic-runner.ts";
export { claudeAgentSdk } from "./claude-agent-sdk.ts";
export { langchain } from "./langchain.ts";
export { mastra } from "./mastra.ts";
export { openaiAgents } from "./openai-agents.ts";
export { otel } from "./otel.ts";
export { pi } from "./pi.ts";
