import type { WebSearchHit } from "@haft/core/tool";
import { readDuckDuckGo } from "./duckduckgo.ts";
import { NATIVE_PROVIDERS } from "./native-providers.ts";
import { post, type Row, type SearchProvider, textIn, withOperators, withQuery } from "./provider.ts";

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

function hit(row: Row, snippet: unknown, date: unknown): WebSearchHit {
  const said = textIn(date);
  return {
    title: plain(textIn(row.title)),
    url: textIn(row.url),
    snippet: plain(textIn(snippet)),
    ...(said === "" ? {} : { date: said }),
  };
}

function rowsOf(body: string, pick: (answer: Row) => unknown): readonly Row[] {
  const rows = pick(JSON.parse(body) as Row);
  if (rows === undefined) return [];
  if (!Array.isArray(rows)) throw new Error("its results are not a list");
  return rows as readonly Row[];
}

/** The providers by name. If the user names none, the first in this order whose variable is set is used, then the model's own. */
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
  ...NATIVE_PROVIDERS,
};
