import type {
  AiSdkOptions,
  AnthropicOptions,
  aiSdk,
  aiSdk6,
  anthropic,
  GeminiOptions,
  gemini,
  OpenAiChatOptions,
  OpenAiOptions,
  openai,
  openaiChat,
} from "@haft/core/adapter";

/** The formats of `haft.for`, and the type of each. */
export interface Formats {
  anthropic: ReturnType<typeof anthropic>;
  openai: ReturnType<typeof openai>;
  "openai-chat": ReturnType<typeof openaiChat>;
  gemini: ReturnType<typeof gemini>;
  "ai-sdk": ReturnType<typeof aiSdk>;
  "ai-sdk-6": ReturnType<typeof aiSdk6>;
}

/** The options of each format. */
export interface FormatOptions {
  anthropic: AnthropicOptions;
  openai: OpenAiOptions;
  "openai-chat": OpenAiChatOptions;
  gemini: GeminiOptions;
  "ai-sdk": Pick<AiSdkOptions, "maxSteps">;
  "ai-sdk-6": Pick<AiSdkOptions, "maxSteps">;
}
