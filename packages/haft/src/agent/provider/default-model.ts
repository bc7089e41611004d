import type { Environment } from "./environment.ts";

/** A default model, and the environment variable that selects it. */
export interface DefaultModel {
  readonly model: string;
  readonly because: string;
}

/** The model for each API key; the first one found is used. Tests check that the providers' packages know these models, and that they have a list price. */
export const DEFAULT_MODELS: readonly DefaultModel[] = [
  { because: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-5-5" },
  { because: "OPENAI_API_KEY", model: "openai/gpt-5.6" },
  { because: "GOOGLE_GENERATIVE_AI_API_KEY", model: "google/gemini-3.8-flash" },
];

/** The model for an API key in the environment. A server of your own has no default, because its models are unknown. */
export const defaultModel = (env: Environment): DefaultModel | undefined =>
  DEFAULT_MODELS.find(({ because }) => env[because] && !(because === "OPENAI_API_KEY" && env.OPENAI_BASE_URL));

/** The ways to get a model, for people who have none yet. */
export const MODEL_CURE =
  `Set a key (${DEFAULT_MODELS.map(({ because }) => because).join(", ")}), or choose a model with --model provider/name. ` +
  "With OPENAI_BASE_URL set, choose --model compatible/NAME, with or without a key. `haft models` lists the models of that server, " +
  "and of Ollama, LM Studio and llama-server on this machine. docs/models.md has examples.";
