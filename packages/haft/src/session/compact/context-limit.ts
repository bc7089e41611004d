/** Tokens that a provider's current models can read, by the beginning of a model's name. Lower than some can. */
const LIMITS: readonly (readonly [prefix: string, tokens: number])[] = [
  ["anthropic/", 200_000],
  ["openai/", 272_000],
  ["google/", 1_000_000],
];

/** The share of the context at which a conversation is summarized. */
const FULL = 0.8;

/** Whether a conversation of so many tokens is nearly too long. Without a known limit: no, the provider reports it. */
export function isNearlyFull(tokens: number | undefined, model: string, setting: number | undefined): boolean {
  const limit = setting ?? LIMITS.find(([prefix]) => model.startsWith(prefix))?.[1];
  return tokens !== undefined && limit !== undefined && tokens >= limit * FULL;
}
