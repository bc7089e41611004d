import {
  type AiSdkOptions,
  type AnthropicOptions,
  type ApprovalRecord,
  aiSdk,
  aiSdk6,
  anthropic,
  type GeminiOptions,
  gemini,
  type OpenAiChatOptions,
  type OpenAiOptions,
  openai,
  openaiChat,
  type Toolbox,
} from "@haft/core/adapter";
import { fail } from "@haft/core/tool";

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

/** The tools in the format of a model API or SDK. */
export const formatsOf =
  (toolbox: Toolbox, { hostAsks, asked }: { readonly hostAsks: boolean; readonly asked: ApprovalRecord }) =>
  <F extends keyof Formats>(name: F, options?: FormatOptions[F]): Formats[F] => {
    const known: { [K in keyof Formats]: () => Formats[K] } = {
      anthropic: () => anthropic(toolbox, options as FormatOptions["anthropic"]),
      openai: () => openai(toolbox, options as FormatOptions["openai"]),
      "openai-chat": () => openaiChat(toolbox, options as FormatOptions["openai-chat"]),
      gemini: () => gemini(toolbox, options as FormatOptions["gemini"]),
      "ai-sdk": () => aiSdk(toolbox, { ...(options as FormatOptions["ai-sdk"]), hostAsks, record: asked }),
      "ai-sdk-6": () => aiSdk6(toolbox, { ...(options as FormatOptions["ai-sdk-6"]), hostAsks, record: asked }),
    };
    if (Object.hasOwn(known, name)) return known[name]();
    return fail(
      "validation_failed",
      `There is no format "${name}".`,
      `Known formats: ${Object.keys(known).join(", ")}.`,
    );
  };
