import { fail, HaftError, type Net, type WebSearchHit, type WebSearchPort, type WebSearchQuery } from "@haft/core/tool";
import type { ProviderHit } from "./provider.ts";
import { PROVIDERS } from "./providers.ts";

/** Most searches of one session, because each may cost somebody money. */
const MOST_SEARCHES = 200;
const TIMEOUT_MS = 20_000;
/** A model searches, reads and writes. */
const NATIVE_TIMEOUT_MS = 90_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** Milliseconds for which the same query is answered from the cache. */
const CACHE_MS = 15 * 60_000;

/** The user's search settings, and the models that the session may use. */
interface SearchWish {
  readonly provider?: string;
  readonly url?: string;
  readonly apiKey?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `provider/name`: the model of the session, if there is one. The provider of the model may search. */
  readonly model?: string | undefined;
  /** The models for a provider that the user names and that is not the model's, as `provider/name`. */
  readonly defaultModels: readonly string[];
}

/** The provider to search with. */
export interface FoundSearch {
  readonly name: string;
  readonly address: string;
  readonly key: string;
  /** The model that searches, or an empty text. */
  readonly model: string;
}

/** The provider that the user chose, else the first whose key is set, else that of the model; or why there is none. */
export function findSearch(wish: SearchWish): FoundSearch | { readonly absent: string } {
  const { env, url, apiKey, model: own = "" } = wish;
  const name =
    wish.provider ??
    Object.keys(PROVIDERS).find((one) => !PROVIDERS[one]?.isNative && !!env[PROVIDERS[one]?.variable ?? ""]) ??
    own.slice(0, own.indexOf("/"));
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (!provider || (wish.provider === undefined && provider.isNative && !env[provider.variable ?? ""]))
    return { absent: NO_PROVIDER };
  const { variable = "", addressVariable = "" } = provider;
  // For SearXNG the variable holds the address, and there is no key.
  const isKeyless = provider.address === undefined || variable === "";
  const place = isKeyless ? variable : addressVariable;
  const address = url || env[place] || provider.address;
  const key = apiKey ?? (isKeyless ? "" : (env[variable] ?? ""));
  if (!address) return { absent: `${variable} and web.search.url are not set` };
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    return { absent: `${url ? "web.search.url" : place} is not a web address: ${JSON.stringify(address)}` };
  if (key === "" && !isKeyless) return { absent: `the search provider is ${name}, and ${variable} is not set` };
  const models = provider.isNative ? [own, ...wish.defaultModels] : [];
  const model = models.find((one) => one.startsWith(`${name}/`))?.slice(name.length + 1) ?? "";
  return { name, address, key, model };
}

const NO_PROVIDER =
  "no search provider: use a model of Anthropic, OpenAI or Google, or set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL, or web.search in the user settings (duckduckgo needs no key)";

/** Searches with a provider. The network is not bound to a call: each provider is queried only at its own address. */
export function createSearch(
  { name, address, key, model }: FoundSearch,
  { net, now = Date.now }: { readonly net: Net; readonly now?: () => number },
): WebSearchPort {
  const provider = PROVIDERS[name]!;
  const base = new URL(address);
  const known = new Map<string, { readonly at: number; readonly hits: readonly WebSearchHit[] }>();
  let searches = 0;

  async function ask(query: WebSearchQuery): Promise<readonly ProviderHit[]> {
    if (searches >= MOST_SEARCHES)
      fail(
        "limit_reached",
        `This session has searched ${MOST_SEARCHES} times.`,
        "Use the results you have, or ask the user.",
      );
    searches += 1;
    const { url, init } = provider.request(base, query, key, model);
    const { signal } = query;
    // Sends a key only to its own address.
    const response = await net.fetch(url, {
      ...init,
      signal,
      redirect: "manual",
      timeoutMs: provider.isNative ? NATIVE_TIMEOUT_MS : TIMEOUT_MS,
      maxBytes: MOST_BYTES,
    });
    const body = await response.text();
    if (response.status !== 200) throw refused(name, response.status, body);
    try {
      return provider.read(body);
    } catch (thrown) {
      throw unreadable(name, thrown);
    }
  }

  return {
    provider: name,
    address: base.href,
    async find(query) {
      const { signal: _, ...words } = query;
      const same = JSON.stringify(words);
      const before = known.get(same);
      if (before && now() - before.at < CACHE_MS) return before.hits;
      const wanted = (await ask(query)).filter((one) => isWanted(one, query)).slice(0, query.count);
      const hits = wanted.map(({ domain: _, ...hit }) => hit);
      known.set(same, { at: now(), hits });
      return hits;
    },
  };
}

/** Providers treat domains as a preference. This filter drops results of other domains. */
function isWanted(
  { url, domain: site }: ProviderHit,
  { allowedDomains, blockedDomains = [] }: WebSearchQuery,
): boolean {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return false;
  const host = site?.toLowerCase() || parsed.hostname;
  const isOf = (domain: string): boolean => {
    const name = domain.toLowerCase().replace(/^\*?\./, "");
    return host === name || host.endsWith(`.${name}`);
  };
  return (allowedDomains?.some(isOf) ?? true) && !blockedDomains.some(isOf);
}

function refused(name: string, status: number, body: string): HaftError {
  const isKey = status === 401 || status === 403;
  const hint = isKey
    ? name === "searxng"
      ? "The server may not give JSON: its settings must name json under search.formats."
      : `The key may be wrong or used up. Tell the user to check ${PROVIDERS[name]?.variable ?? "web.search"}.`
    : status === 429
      ? "Wait a moment, and search less often."
      : PROVIDERS[name]?.isNative && status < 500
        ? "The model or the server may not search the web. The user can choose another provider: web.search.provider."
        : "Try again later.";
  return new HaftError({
    code: isKey ? "permission_denied" : status === 429 ? "limit_reached" : "fetch_failed",
    message: `The search provider ${name} answered with status ${status}${reasonIn(body)}.`,
    hint,
    details: { provider: name, status },
  });
}

/** The reason as models' providers give it. */
function reasonIn(body: string): string {
  try {
    const { message } = JSON.parse(body).error;
    return typeof message === "string" ? `: ${message.slice(0, 200)}` : "";
  } catch {
    return "";
  }
}

const unreadable = (name: string, thrown: unknown): HaftError =>
  new HaftError({
    code: "fetch_failed",
    message: `The answer of the search provider ${name} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}.`,
    hint: "Try again later, or have the user choose another provider: web.search.provider.",
    details: { provider: name },
  });
