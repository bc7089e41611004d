import type { AiSdkOptions, AnthropicOptions, aiSdk, anthropic } from "@haft/core/adapter";

/** The formats that `haft.for` knows, and what each gives. */
export interface Formats {
  anthropic: ReturnType<typeof anthropic>;
  "ai-sdk": ReturnType<typeof aiSdk>;
}

/** What can be said about a format. */
export interface FormatOptions {
  anthropic: AnthropicOptions;
  "ai-sdk": Pick<AiSdkOptions, "maxSteps">;
}
