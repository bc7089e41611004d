import { fail, HaftError, type Net, type WebSearchHit, type WebSearchPort, type WebSearchQuery } from "@haft/core/tool";
import { PROVIDERS, type SearchProvider } from "./providers.ts";

/** Most searches of one session, because each may cost somebody money. */
const MOST_SEARCHES = 200;
const TIMEOUT_MS = 20_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** Milliseconds for which the same query is answered from the cache. */
const CACHE_MS = 15 * 60_000;

/** The user's search settings. */
interface SearchOptions {
  readonly provider?: string;
  readonly url?: string;
  readonly apiKey?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The network, not bound to a call: each provider is queried only at its own address. */
  readonly net: Net;
  readonly now?: () => number;
}

/** The provider that the user chose, else the first whose key is set; `undefined` if there is none. */
export function createSearch(options: SearchOptions): WebSearchPort | undefined {
  const { env, url, apiKey } = options;
  const isSet = (provider: SearchProvider): boolean => provider.variable !== undefined && !!env[provider.variable];
  const name = options.provider ?? Object.keys(PROVIDERS).find((one) => isSet(PROVIDERS[one] as SearchProvider));
  const provider = name === undefined ? undefined : PROVIDERS[name];
  if (name === undefined || !provider) return undefined;
  const said = provider.variable === undefined ? "" : (env[provider.variable] ?? "");
  // For SearXNG the variable holds the address, and there is no key.
  const address = url ?? provider.address ?? said;
  const key = apiKey ?? (provider.address === undefined ? "" : said);
  if (!URL.canParse(address)) return undefined;
  if (provider.variable !== undefined && provider.address !== undefined && key === "") return undefined;
  return searchWith({ name, provider, address, key }, options);
}

interface Chosen {
  readonly name: string;
  readonly provider: SearchProvider;
  readonly address: string;
  readonly key: string;
}

function searchWith({ name, provider, address, key }: Chosen, { net, now = Date.now }: SearchOptions): WebSearchPort {
  const base = new URL(address);
  const known = new Map<string, { readonly at: number; readonly hits: readonly WebSearchHit[] }>();
  let searches = 0;

  async function ask(query: WebSearchQuery): Promise<readonly WebSearchHit[]> {
    if (searches >= MOST_SEARCHES)
      fail(
        "limit_reached",
        `This session has searched ${MOST_SEARCHES} times.`,
        "Use the results you have, or ask the user.",
      );
    searches += 1;
    const { url, init } = provider.request(base, query, key);
    const { signal } = query;
    // Sends a key only to its own address.
    const response = await net.fetch(url, {
      ...init,
      signal,
      redirect: "manual",
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
    });
    const body = await response.text();
    if (response.status !== 200) throw refused(name, response.status);
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
      const { signal: _, ...wanted } = query;
      const same = JSON.stringify(wanted);
      const before = known.get(same);
      if (before && now() - before.at < CACHE_MS) return before.hits;
      const hits = (await ask(query)).filter((one) => isWanted(one, query)).slice(0, query.count);
      known.set(same, { at: now(), hits });
      return hits;
    },
  };
}

/** Providers treat domains as a preference. This filter drops results of other domains. */
function isWanted({ url }: WebSearchHit, { allowedDomains, blockedDomains = [] }: WebSearchQuery): boolean {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return false;
  const isOf = (domain: string): boolean => {
    const name = domain.toLowerCase().replace(/^\*?\./, "");
    return parsed.hostname === name || parsed.hostname.endsWith(`.${name}`);
  };
  return (allowedDomains?.some(isOf) ?? true) && !blockedDomains.some(isOf);
}

function refused(name: string, status: number): HaftError {
  const isKey = status === 401 || status === 403;
  const hint = isKey
    ? name === "searxng"
      ? "The server may not give JSON: its settings must name json under search.formats."
      : `The key may be wrong or used up. Tell the user to check ${PROVIDERS[name]?.variable ?? "web.search"}.`
    : status === 429
      ? "Wait a moment, and search less often."
      : "Try again later.";
  return new HaftError({
    code: isKey ? "permission_denied" : status === 429 ? "limit_reached" : "fetch_failed",
    message: `The search provider ${name} answered with status ${status}.`,
    hint,
    details: { provider: name, status },
  });
}

const unreadable = (name: string, thrown: unknown): HaftError =>
  new HaftError({
    code: "fetch_failed",
    message: `The answer of the search provider ${name} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}.`,
    hint: "Try again later, or have the user choose another provider: web.search.provider.",
    details: { provider: name },
  });
