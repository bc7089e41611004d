import { createAnthropic } from "@ai-sdk/anthropic";

/** A model of the AI SDK that speaks to a local server. */
export const anthropicModel = (url: string) => createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })("claude-test");
