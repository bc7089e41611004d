import type { Environment } from "./open-model.ts";

/** A model that is used where none is named, and the variable that calls for it. */
export interface DefaultModel {
  readonly model: string;
  readonly because: string;
}

/** The model for each key, first found first taken. A test holds that the providers' packages know them. */
export const DEFAULT_MODELS: readonly DefaultModel[] = [
  { because: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-5-5" },
  { because: "OPENAI_API_KEY", model: "openai/gpt-5.6" },
  { because: "GOOGLE_GENERATIVE_AI_API_KEY", model: "google/gemini-pro-latest" },
];

/** The model that a key in the environment stands for. A server of your own has models that nobody here knows. */
export const defaultModel = (env: Environment): DefaultModel | undefined =>
  DEFAULT_MODELS.find(({ because }) => env[because] && !(because === "OPENAI_API_KEY" && env.OPENAI_BASE_URL));

/** The three ways to a model, for people who have none yet. */
export const MODEL_CURE =
  `Set a key (${DEFAULT_MODELS.map(({ because }) => because).join(", ")}), or name a model: --model provider/name. ` +
  "For a local server set OPENAI_BASE_URL and use --model compatible/NAME. docs/models.md has examples.";
