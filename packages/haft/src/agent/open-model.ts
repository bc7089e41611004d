import { fail } from "@haft/core/tool";
import type { LanguageModel } from "ai";
import { type AiSdkModelOptions, aiSdkModel, loadAiSdk } from "./ai-sdk-model.ts";
import type { Model } from "./model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Provider {
  /** The variable that holds the key, for the error that names it. */
  readonly key: string;
  open(name: string, env: Environment): Promise<LanguageModel>;
}

/** Providers by the first part of a model's name. Each SDK is loaded only when it is asked for. */
const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    async open(name, env) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings(env, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"))(name);
    },
  },
  openai: {
    key: "OPENAI_API_KEY",
    async open(name, env) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings(env, "OPENAI_API_KEY", "OPENAI_BASE_URL"))(name);
    },
  },
  google: {
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    async open(name, env) {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(settings(env, "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_BASE_URL"))(name);
    },
  },
};

/**
 * A model by its name, `provider/name`: `anthropic/…`, `openai/…`, `google/…`, or `compatible/…` for any server that
 * speaks OpenAI's chat completions at `OPENAI_BASE_URL` (no key needed). Keys and base URLs come from `env`, under the
 * names that the providers' own SDKs use.
 *
 * @throws HaftError `validation_failed` when the name, the key or the URL is missing.
 */
export async function openModel(name: string, env: Environment, options: AiSdkModelOptions = {}): Promise<Model> {
  const slash = name.indexOf("/");
  const provider = name.slice(0, slash);
  const id = name.slice(slash + 1);
  setImmediate(loadAhead);
  if (slash <= 0 || id === "") {
    fail("validation_failed", `"${name}" names no model.`, `Write provider/name, with one of: ${known}.`);
  }
  if (provider === "compatible") {
    return aiSdkModel(name, await openCompatible(id, env), { resultMedia: "after", ...options });
  }
  if (!Object.hasOwn(providers, provider)) {
    fail("validation_failed", `There is no provider "${provider}".`, `Known: ${known}.`);
  }
  const { key, open } = providers[provider]!;
  if (!env[key]) {
    fail("validation_failed", `${name} needs an API key, and ${key} is not set.`, `Set ${key}, or replay a cassette.`);
  }
  const own =
    provider === "anthropic" && isAnthropicItself(env) ? { anthropic: { withholdsTools: knowsSearch(id) } } : {};
  return aiSdkModel(name, await open(id, env), { ...own, ...options });
}

/** What the first request needs is loaded while others wait for the tools: Node's HTTP client, at the first touch, and the SDK. */
function loadAhead(): void {
  void globalThis.Headers;
  void loadAiSdk().catch(() => {});
}

/** Others that speak its protocol need not know its newer parts. */
const isAnthropicItself = ({ ANTHROPIC_BASE_URL: url }: Environment): boolean =>
  !url || URL.parse(url)?.hostname === "api.anthropic.com";

/** The models before 4.5 refuse tools that are to be kept back. */
const knowsSearch = (id: string): boolean => !/^claude-(?:\d|instant|(?:opus|sonnet)-4(?:-[01])?(?:-\d{8})?$)/.test(id);

const known = [...Object.keys(providers), "compatible"].join(", ");

async function openCompatible(name: string, env: Environment): Promise<LanguageModel> {
  const baseURL = env.OPENAI_BASE_URL;
  if (!baseURL) {
    fail("validation_failed", `compatible/${name} needs to know its server.`, "Set OPENAI_BASE_URL, up to /v1.");
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const apiKey = env.OPENAI_API_KEY;
  return createOpenAICompatible({ name: "compatible", baseURL, includeUsage: true, ...(apiKey ? { apiKey } : {}) })(
    name,
  );
}

function settings(env: Environment, key: string, url: string): { apiKey: string; baseURL?: string } {
  const baseURL = env[url];
  return { apiKey: env[key] ?? "", ...(baseURL ? { baseURL } : {}) };
}
