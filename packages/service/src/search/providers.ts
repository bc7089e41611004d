import type { NetRequest, WebSearchHit, WebSearchQuery } from "@haft/core/tool";
import { readDuckDuckGo } from "./duckduckgo.ts";

/** How to query one provider and read its answers. */
export interface SearchProvider {
  /** Its own address. Without one, the user must configure it. */
  readonly address?: string;
  /** The variable that holds its key, or for SearXNG its address. A provider without a variable needs no key. */
  readonly variable?: string;
  request(base: URL, query: WebSearchQuery, key: string): { readonly url: URL; readonly init: NetRequest };
  /** Reads a body that came with a good status. Throws for an unknown format. */
  read(body: string): readonly WebSearchHit[];
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Snippets may contain highlighting markup and entities. */
const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    })
    .replace(/\s+/g, " ")
    .trim();
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

type Row = Readonly<Record<string, unknown>>;

function hit(row: Row, snippet: unknown, date: unknown): WebSearchHit {
  const said = asText(date);
  return {
    title: plain(asText(row.title)),
    url: asText(row.url),
    snippet: plain(asText(snippet)),
    ...(said === "" ? {} : { date: said }),
  };
}

function rowsOf(body: string, pick: (answer: Row) => unknown): readonly Row[] {
  const rows = pick(JSON.parse(body) as Row);
  if (rows === undefined) return [];
  if (!Array.isArray(rows)) throw new Error("its results are not a list");
  return rows as readonly Row[];
}

/** Adds domains as search operators, for providers that support no other way. */
function withOperators({ query, allowedDomains = [], blockedDomains = [] }: WebSearchQuery): string {
  const only = allowedDomains.map((domain) => `site:${domain}`).join(" OR ");
  const not = blockedDomains.map((domain) => `-site:${domain}`).join(" ");
  return [query, only && (allowedDomains.length > 1 ? `(${only})` : only), not].filter(Boolean).join(" ");
}

function withQuery(base: URL, path: string, fields: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}

const post = (url: URL, headers: Readonly<Record<string, string>>, body: object) => ({
  url,
  init: { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
});

/** The providers by name. If the user names none, the first usable one in this order is chosen. */
export const PROVIDERS: Readonly<Record<string, SearchProvider>> = {
  brave: {
    address: "https://api.search.brave.com/res/v1",
    variable: "BRAVE_API_KEY",
    request: (base, query, key) => ({
      url: withQuery(base, "/web/search", { q: withOperators(query), count: String(Math.min(query.count, 20)) }),
      init: { headers: { accept: "application/json", "x-subscription-token": key } },
    }),
    read: (body) =>
      rowsOf(body, ({ web }) => (web as Row | undefined)?.results).map((row) =>
        hit(row, row.description, row.page_age ?? row.age),
      ),
  },
  tavily: {
    address: "https://api.tavily.com",
    variable: "TAVILY_API_KEY",
    request: (base, { query, count, allowedDomains, blockedDomains }, key) =>
      post(
        withQuery(base, "/search", {}),
        { authorization: `Bearer ${key}` },
        {
          query,
          max_results: Math.min(count, 20),
          ...(allowedDomains ? { include_domains: allowedDomains } : {}),
          ...(blockedDomains ? { exclude_domains: blockedDomains } : {}),
        },
      ),
    read: (body) => rowsOf(body, ({ results }) => results).map((row) => hit(row, row.content, row.published_date)),
  },
  exa: {
    address: "https://api.exa.ai",
    variable: "EXA_API_KEY",
    request: (base, { query, count, allowedDomains, blockedDomains }, key) =>
      post(
        withQuery(base, "/search", {}),
        { "x-api-key": key },
        {
          query,
          numResults: count,
          contents: { text: { maxCharacters: 500 } },
          ...(allowedDomains ? { includeDomains: allowedDomains } : {}),
          ...(blockedDomains ? { excludeDomains: blockedDomains } : {}),
        },
      ),
    read: (body) =>
      rowsOf(body, ({ results }) => results).map((row) =>
        hit(row, row.summary ?? row.text ?? (row.highlights as unknown[] | undefined)?.join(" … "), row.publishedDate),
      ),
  },
  searxng: {
    variable: "SEARXNG_URL",
    request: (base, query) => ({
      url: withQuery(base, "/search", { q: withOperators(query), format: "json" }),
      init: { headers: { accept: "application/json" } },
    }),
    read: (body) => rowsOf(body, ({ results }) => results).map((row) => hit(row, row.content, row.publishedDate)),
  },
  duckduckgo: {
    address: "https://html.duckduckgo.com",
    request: (base, query) => ({ url: withQuery(base, "/html/", { q: withOperators(query) }), init: {} }),
    read: (body) =>
      readDuckDuckGo(body).map(({ title, url, snippet }) => ({ title: plain(title), url, snippet: plain(snippet) })),
  },
};
