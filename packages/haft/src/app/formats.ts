import type { AiSdkOptions, AnthropicOptions, aiSdk, anthropic } from "@haft/core/adapter";

/** The formats of `haft.for`, and the type of each. */
export interface Formats {
  anthropic: ReturnType<typeof anthropic>;
  "ai-sdk": ReturnType<typeof aiSdk>;
}

/** The options of each format. */
export interface FormatOptions {
  anthropic: AnthropicOptions;
  "ai-sdk": Pick<AiSdkOptions, "maxSteps">;
}
