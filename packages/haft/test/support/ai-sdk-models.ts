import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const apiKey = "none";

/** Models of the AI SDK that speak to a local server. */
export const anthropicModel = (url: string) => createAnthropic({ apiKey, baseURL: `${url}/v1` })("claude-test");
export const compatibleModel = (baseURL: string) => createOpenAICompatible({ name: "local", apiKey, baseURL })("m");
