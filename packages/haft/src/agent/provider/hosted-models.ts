import { anthropicAddress } from "@haft/service/web";
import { DEFAULT_MODELS } from "./default-model.ts";
import type { Environment } from "./environment.ts";
import { findLocalServers, listIn, localModels, objectsIn, type ReachableModel } from "./local-models.ts";

/** A provider that lists its models for a key. */
interface HostedProvider {
  readonly title: string;
  readonly key: string;
  readonly url: string;
  /** The address without a variable. */
  readonly address: string;
  readonly list: string;
  /** Completes the address of the variable. */
  versioned?(address: string): string;
  headers(key: string): Readonly<Record<string, string>>;
  /** The models that converse, with their titles. */
  read(answer: unknown): readonly (readonly [id: string, title?: string])[];
}

/** Names of OpenAI's models that converse, and words in names of those that do something else. */
const CONVERSES = /^(?:gpt-|chatgpt-|o\d)/;
const SPECIAL = /audio|realtime|image|transcribe|tts|search|instruct|embedding/;

const PROVIDERS: Readonly<Record<string, HostedProvider>> = {
  anthropic: {
    ...{ title: "Anthropic", key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL" },
    ...{ address: "https://api.anthropic.com/v1", list: "/models?limit=100", versioned: anthropicAddress },
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    read: (answer) =>
      (objectsIn(answer, "data") ?? []).map(({ id, display_name }) => [String(id), words(display_name)]),
  },
  openai: {
    ...{ title: "OpenAI", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
    ...{ address: "https://api.openai.com/v1", list: "/models" },
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    read: (answer) =>
      (objectsIn(answer, "data") ?? [])
        .map(({ id }) => String(id))
        .filter((id) => CONVERSES.test(id) && !SPECIAL.test(id))
        .map((id) => [id]),
  },
  google: {
    ...{ title: "Google", key: "GOOGLE_GENERATIVE_AI_API_KEY", url: "GOOGLE_BASE_URL" },
    ...{ address: "https://generativelanguage.googleapis.com/v1beta", list: "/models?pageSize=200" },
    headers: (key) => ({ "x-goog-api-key": key }),
    read: (answer) =>
      (objectsIn(answer, "models") ?? [])
        .filter(({ supportedGenerationMethods: can }) => Array.isArray(can) && can.includes("generateContent"))
        .map(({ name, displayName }) => [String(name).replace(/^models\//, ""), words(displayName)]),
  },
};

/** Any server that speaks OpenAI's chat completions. It may need no key. */
const COMPATIBLE: HostedProvider = {
  ...{ title: "the server at OPENAI_BASE_URL", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
  ...{ address: "", list: "/models" },
  headers: (key): Readonly<Record<string, string>> => (key ? { authorization: `Bearer ${key}` } : {}),
  read: (answer) => (objectsIn(answer, "data") ?? []).map(({ id }) => [String(id)]),
};

const words = (title: unknown): string => (typeof title === "string" ? title : "");

/** Milliseconds for the answer of a provider, and most models of one. */
const ANSWER_MS = 3_000;
const MOST_MODELS = 100;

/**
 * The models of the keys that are set: of each the default, then the rest of its provider's list; and those of the server
 * at OPENAI_BASE_URL. Never rejects.
 */
export async function hostedModels(env: Environment, ask: typeof fetch = fetch): Promise<readonly ReachableModel[]> {
  const lists = DEFAULT_MODELS.filter(({ because }) => env[because]).map(async ({ model, because }) => {
    const id = model.slice(0, model.indexOf("/"));
    const listed = await listOf(id, PROVIDERS[id]!, env, ask);
    return [{ name: model, about: `${because} is set` }, ...listed.filter(({ name }) => name !== model)];
  });
  if (env[COMPATIBLE.url]) lists.push(listOf("compatible", COMPATIBLE, env, ask));
  return (await Promise.all(lists)).flat();
}

async function listOf(id: string, provider: HostedProvider, env: Environment, ask: typeof fetch) {
  const { address, versioned = (one: string) => one } = provider;
  const base = versioned(env[provider.url] || address).replace(/\/$/, "");
  try {
    const answer = await ask(`${base}${provider.list}`, {
      redirect: "error",
      headers: { accept: "application/json", ...provider.headers(env[provider.key] ?? "") },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const found = answer.ok ? provider.read(await listIn(answer)).slice(0, MOST_MODELS) : [];
    return found.map(([name, title]) => ({ name: `${id}/${name}`, about: title || provider.title }));
  } catch {
    // The default can still be chosen, and a request says what is wrong.
    return [];
  }
}

/** The models that can be chosen now: those of set keys, and those of local programs. */
export async function reachableModels(env: Environment): Promise<readonly ReachableModel[]> {
  const [hosted, local] = await Promise.all([hostedModels(env), findLocalServers(env)]);
  return [...hosted, ...localModels(local)];
}
