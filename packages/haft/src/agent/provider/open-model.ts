import { fail } from "@haft/core/tool";
import type { LanguageModel } from "ai";
import { type AiSdkModelOptions, aiSdkModel, loadAiSdk } from "../ai-sdk-model.ts";
import type { Model } from "../model.ts";
import type { Environment } from "./environment.ts";
import { loadSdk } from "./load-sdk.ts";
import { LOCAL_PROVIDERS, localAddress } from "./local-models.ts";
import { explained, type ProviderPlace, reachingFetch } from "./model-error.ts";

interface Provider extends ProviderPlace {
  open(name: string, settings: ProviderSettings): Promise<LanguageModel>;
}

interface ProviderSettings {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly fetch: typeof fetch;
}

/** Providers by the first part of a model's name. Each SDK is loaded on first use. */
const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    async open(name, settings) {
      const { createAnthropic } = await loadSdk("@ai-sdk/anthropic", () => import("@ai-sdk/anthropic"));
      if (!settings.baseURL) return createAnthropic(settings)(name);
      const { anthropicAddress } = await import("@haft/service/web");
      return createAnthropic({ ...settings, baseURL: anthropicAddress(settings.baseURL) })(name);
    },
  },
  openai: {
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    async open(name, settings) {
      const { createOpenAI } = await loadSdk("@ai-sdk/openai", () => import("@ai-sdk/openai"));
      return createOpenAI(settings)(name);
    },
  },
  google: {
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    url: "GOOGLE_BASE_URL",
    async open(name, settings) {
      const { createGoogleGenerativeAI } = await loadSdk("@ai-sdk/google", () => import("@ai-sdk/google"));
      return createGoogleGenerativeAI(settings)(name);
    },
  },
};

/**
 * A model by its name, `provider/name`: `anthropic/…`, `openai/…`, `google/…`, or `compatible/…` for any server that
 * speaks OpenAI's chat completions at `OPENAI_BASE_URL` (no key needed), or `ollama/…`, `lmstudio/…`, `llama/…` for a
 * program on this machine. Keys and base URLs come from `env`, under the
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
    fail("validation_failed", `"${name}" is not a model name.`, `Write provider/name. Known providers: ${known}.`);
  }
  if (provider === "compatible") {
    return explaining(
      aiSdkModel(name, await openCompatible(id, env), { resultMedia: "after", ...options }),
      COMPATIBLE,
    );
  }
  const local = LOCAL_PROVIDERS.find(({ id }) => id === provider);
  if (local) {
    const server = { OPENAI_BASE_URL: `${localAddress(local, env)}/v1` };
    const place = { key: local.variable, url: local.variable };
    return explaining(
      aiSdkModel(name, await openCompatible(id, server, place), { resultMedia: "after", ...options }),
      place,
    );
  }
  if (!Object.hasOwn(providers, provider)) {
    fail("validation_failed", `There is no provider "${provider}".`, `Known: ${known}.`);
  }
  const place = providers[provider]!;
  const { key, open } = place;
  if (!env[key]) {
    fail("validation_failed", `${name} needs an API key, and ${key} is not set.`, `Set ${key}, or replay a cassette.`);
  }
  const own =
    provider === "anthropic" && isAnthropicItself(env) ? { anthropic: { withholdsTools: knowsSearch(id) } } : {};
  return explaining(aiSdkModel(name, await open(id, settings(env, place)), { ...own, ...options }), place);
}

/** Wraps a model so that its errors say what people can do about them. */
const explaining = (model: Model, place: ProviderPlace): Model => ({
  ...model,
  async *step(request) {
    const tools = request.tools.map(({ name }) => name);
    for await (const event of model.step(request))
      yield event.type === "error" ? { type: "error", error: explained(event.error, model.name, place, tools) } : event;
  },
});

/** Preloads what the first request needs while the tools load: Node's HTTP client, on first access, and the SDK. */
function loadAhead(): void {
  void globalThis.Headers;
  void loadAiSdk().catch(() => {});
}

/** Other servers with its protocol may not support its newer parts. */
const isAnthropicItself = ({ ANTHROPIC_BASE_URL: url }: Environment): boolean =>
  !url || URL.parse(url)?.hostname === "api.anthropic.com";

/** Models before 4.5 reject withheld tools. */
const knowsSearch = (id: string): boolean => !/^claude-(?:\d|instant|(?:opus|sonnet)-4(?:-[01])?(?:-\d{8})?$)/.test(id);

const known = [...Object.keys(providers), "compatible", ...LOCAL_PROVIDERS.map(({ id }) => id)].join(", ");

async function openCompatible(name: string, env: Environment, place = COMPATIBLE): Promise<LanguageModel> {
  const baseURL = env.OPENAI_BASE_URL;
  if (!baseURL) {
    fail("validation_failed", `compatible/${name} needs the address of its server.`, "Set OPENAI_BASE_URL, up to /v1.");
  }
  checkAddress(baseURL, place);
  const { createOpenAICompatible } = await loadSdk(
    "@ai-sdk/openai-compatible",
    () => import("@ai-sdk/openai-compatible"),
  );
  const apiKey = env.OPENAI_API_KEY;
  const fetch = reachingFetch(place);
  const own = { name: "compatible", baseURL, includeUsage: true, fetch, ...(apiKey ? { apiKey } : {}) };
  return createOpenAICompatible(own)(name);
}

const COMPATIBLE: ProviderPlace = { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" };

function settings(env: Environment, place: ProviderPlace): ProviderSettings {
  const baseURL = env[place.url];
  if (baseURL) checkAddress(baseURL, place);
  return { apiKey: env[place.key] ?? "", fetch: reachingFetch(place), ...(baseURL ? { baseURL } : {}) };
}

function checkAddress(address: string, { url }: ProviderPlace): void {
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? "")) return;
  fail("validation_failed", `${url} is not an address: ${address}`, "Write http://HOST:PORT/v1 or https://HOST/v1.");
}
