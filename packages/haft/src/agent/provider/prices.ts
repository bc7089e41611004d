import type { Usage } from "../model.ts";

/** Prices of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that the provider read from its cache. Default: `input`. */
  readonly cacheRead?: number;
  /** Input that the provider wrote to its cache. Default: `input`. */
  readonly cacheWrite?: number;
  /** Factors for a request with more than `over` input tokens. They hold for the whole request. */
  readonly long?: { readonly over: number; readonly input: number; readonly output: number };
}

/** The tokens of one request: those of the cache are part of `inputTokens`. */
type Tokens = Pick<Usage, "cachedTokens" | "cacheWriteTokens"> & Required<Pick<Usage, "inputTokens" | "outputTokens">>;

/** Dollars for the tokens of one request. A model without a price costs nothing here. */
export function costOf(tokens: Tokens, price: Price | undefined): number {
  if (!price) return 0;
  const { inputTokens, outputTokens, cachedTokens: read = 0, cacheWriteTokens: written = 0 } = tokens;
  const { cacheRead = price.input, cacheWrite = price.input } = price;
  const factor = price.long && inputTokens > price.long.over ? price.long : { input: 1, output: 1 };
  const plain = Math.max(0, inputTokens - read - written);
  const input = (plain * price.input + read * cacheRead + written * cacheWrite) * factor.input;
  return (input + outputTokens * price.output * factor.output) / 1_000_000;
}

const claude = (input: number, output: number, cacheRead: number): Price => ({
  ...{ input, output, cacheRead, cacheWrite: input * 1.25 },
});
const gpt = (input: number, output: number, cacheRead: number, cacheWrite = input): Price => ({
  ...{ input, output, cacheRead, cacheWrite, long: { over: 272_000, input: 2, output: 1.5 } },
});
const gemini = (input: number, output: number, cacheRead: number): Price => ({ input, output, cacheRead });
const geminiPro = (input: number, output: number, cacheRead: number): Price => ({
  ...{ ...gemini(input, output, cacheRead), long: { over: 200_000, input: 2, output: 1.5 } },
});

/**
 * List prices of the providers' own services, as of 2026-11: platform.claude.com/docs/en/about-claude/pricing,
 * developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing. Prices of the settings come first. Names
 * that move from model to model, such as `gemini-pro-latest`, have no price.
 */
const LIST_PRICES: Readonly<Record<string, Price>> = {
  "anthropic/claude-fable-5-1": claude(10, 50, 0.25),
  "anthropic/claude-fable-5": claude(10, 50, 1),
  "anthropic/claude-opus-5-5": claude(4, 20, 0.2),
  "anthropic/claude-opus-5": claude(5, 25, 0.5),
  "anthropic/claude-opus-4-8": claude(5, 25, 0.5),
  "anthropic/claude-sonnet-5-5": claude(2, 10, 0.1),
  "anthropic/claude-sonnet-5": claude(2, 10, 0.2),
  "anthropic/claude-sonnet-4-6": claude(3, 15, 0.3),
  "anthropic/claude-haiku-5-5": { ...claude(0.1, 0.5, 0.01), long: { over: 100_000, input: 5, output: 5 } },
  "anthropic/claude-haiku-4-5": claude(1, 5, 0.1),
  "openai/gpt-6-astra": gpt(10, 50, 1),
  "openai/gpt-6-luna": gpt(0.1, 0.5, 0.01, 0.125),
  "openai/gpt-5.6": gpt(5, 30, 0.5, 6.25),
  "openai/gpt-5.6-sol": gpt(5, 30, 0.5, 6.25),
  "openai/gpt-5.6-terra": gpt(2, 12, 0.2, 2.5),
  "openai/gpt-5.6-luna": gpt(0.2, 1.2, 0.02, 0.25),
  "openai/gpt-5.5": gpt(5, 30, 0.5),
  "openai/gpt-5.4": gpt(2.5, 15, 0.25),
  "google/gemini-4-argon": gemini(4, 20, 0.2),
  "google/gemini-4-carbon": gemini(4, 20, 0.2),
  "google/gemini-4-hydrogen": gemini(1.5, 7.5, 0.075),
  // Half of this until 2026-12-31.
  "google/gemini-3.8-flash": gemini(1.5, 7.5, 0.15),
  "google/gemini-3.7-flash": gemini(1.5, 7.5, 0.15),
  "google/gemini-3.6-flash": gemini(1.5, 7.5, 0.15),
  "google/gemini-3.5-flash": gemini(1.5, 9, 0.15),
  "google/gemini-3.5-flash-lite": gemini(0.3, 2.5, 0.03),
  "google/gemini-3.1-pro-preview": geminiPro(2, 12, 0.2),
  "google/gemini-2.5-pro": geminiPro(1.25, 10, 0.125),
};

/** The list price of a model. A name with a date costs as the same name without it. */
export function listPrice(model: string): Price | undefined {
  const name = Object.hasOwn(LIST_PRICES, model) ? model : model.replace(/-(?:\d{8}|\d{4}-\d\d-\d\d)$/, "");
  return Object.hasOwn(LIST_PRICES, name) ? LIST_PRICES[name] : undefined;
}
