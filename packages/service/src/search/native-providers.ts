import { post, type Row, type SearchProvider, textIn, withOperators, withQuery } from "./provider.ts";

/** Most tokens of an answer. Its citations are the snippets. */
const MOST_TOKENS = 2_048;

const task = (query: string): string =>
  `Search the web for the following, and give one sentence about each result with its citation: ${query}`;

/** The address of Anthropic's API with its version. Anthropic's own SDKs take it without, as in `https://api.anthropic.com`. */
export const anthropicAddress = (address: string): string =>
  /\/v\d+\/?$/.test(address) ? address : `${address.replace(/\/+$/, "")}/v1`;

const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as readonly Row[]) : []);
const row = (value: unknown): Row => (typeof value === "object" && value !== null ? (value as Row) : {});

/** The texts by address; each of them once. */
function snippets(found: readonly (readonly [url: unknown, text: unknown])[]): (url: unknown) => string {
  const texts = new Map<unknown, Set<string>>();
  for (const [url, text] of found) texts.set(url, (texts.get(url) ?? new Set()).add(textIn(text)));
  return (url) => [...(texts.get(url) ?? [])].join(" … ");
}

/** The searches that models' providers make themselves. */
export const NATIVE_PROVIDERS: Readonly<Record<string, SearchProvider>> = {
  anthropic: {
    address: "https://api.anthropic.com/v1",
    variable: "ANTHROPIC_API_KEY",
    addressVariable: "ANTHROPIC_BASE_URL",
    isNative: true,
    request: (base, { query, allowedDomains, blockedDomains }, key, model) =>
      post(
        withQuery(new URL(anthropicAddress(base.href)), "/messages", {}),
        { "x-api-key": key, "anthropic-version": "2023-06-01" },
        {
          model,
          max_tokens: MOST_TOKENS,
          messages: [{ role: "user", content: task(query) }],
          tools: [
            {
              ...{ type: "web_search_20250305", name: "web_search", max_uses: 1 },
              ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
              ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
            },
          ],
        },
      ),
    read(body) {
      const blocks = rows(row(JSON.parse(body)).content);
      const results = blocks.filter(({ type }) => type === "web_search_tool_result").map(({ content }) => content);
      const failed = results.find((content) => !Array.isArray(content));
      if (failed) throw new Error(`its search failed: ${textIn(row(failed).error_code)}`);
      if (results.length === 0) throw new Error("it did not search");
      const textOf = snippets(
        blocks.flatMap(({ citations }) => rows(citations).map(({ url, cited_text }) => [url, cited_text] as const)),
      );
      return results.flatMap(rows).map(({ url, title, page_age }) => ({
        ...{ title: textIn(title), url: textIn(url), snippet: textOf(url) },
        ...(textIn(page_age) === "" ? {} : { date: textIn(page_age) }),
      }));
    },
  },
  openai: {
    address: "https://api.openai.com/v1",
    variable: "OPENAI_API_KEY",
    addressVariable: "OPENAI_BASE_URL",
    isNative: true,
    request: (base, { query, allowedDomains, blockedDomains }, key, model) =>
      post(
        withQuery(base, "/responses", {}),
        { authorization: `Bearer ${key}` },
        {
          ...{ model, store: false, input: task(query), tool_choice: "required" },
          include: ["web_search_call.action.sources"],
          tools: [
            {
              type: "web_search",
              ...(allowedDomains || blockedDomains
                ? {
                    filters: {
                      ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
                      ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
                    },
                  }
                : {}),
            },
          ],
        },
      ),
    read(body) {
      const output = rows(row(JSON.parse(body)).output);
      const searches = output.filter(({ type }) => type === "web_search_call");
      if (searches.length === 0) throw new Error("it did not search");
      const cited = output.flatMap(({ content }) =>
        rows(content).flatMap(({ text, annotations }) =>
          rows(annotations).map(({ url, title, start_index: start }) => {
            const before = textIn(text).slice(0, typeof start === "number" ? start : 0);
            return { title: textIn(title), url, snippet: before.slice(before.lastIndexOf("\n") + 1).trim() };
          }),
        ),
      );
      const textOf = snippets(cited.map(({ url, snippet }) => [url, snippet] as const));
      const titles = new Map(cited.map(({ url, title }) => [url, title]));
      const sources = searches.flatMap(({ action }) => rows(row(action).sources).map(({ url }) => url));
      return [...new Set([...titles.keys(), ...sources])].map((url) => ({
        ...{ title: titles.get(url) ?? "", url: textIn(url), snippet: textOf(url) },
      }));
    },
  },
  google: {
    address: "https://generativelanguage.googleapis.com/v1beta",
    variable: "GOOGLE_GENERATIVE_AI_API_KEY",
    addressVariable: "GOOGLE_BASE_URL",
    isNative: true,
    request: (base, query, key, model) =>
      post(
        withQuery(base, `/models/${encodeURIComponent(model)}:generateContent`, {}),
        { "x-goog-api-key": key },
        {
          contents: [{ role: "user", parts: [{ text: task(withOperators(query)) }] }],
          tools: [{ google_search: {} }],
        },
      ),
    read(body) {
      const [answer] = rows(row(JSON.parse(body)).candidates);
      const found = row(answer?.groundingMetadata);
      if (found.groundingChunks === undefined && found.webSearchQueries === undefined)
        throw new Error("it did not search");
      const textOf = snippets(
        rows(found.groundingSupports).flatMap(({ segment, groundingChunkIndices: places }) =>
          (Array.isArray(places) ? places : []).map((place) => [place, row(segment).text] as const),
        ),
      );
      // The address leads through a page of Google, and the title is the domain.
      return rows(found.groundingChunks).map(({ web }, place) => {
        const { uri, title, domain = title } = row(web);
        return { title: textIn(title), url: textIn(uri), snippet: textOf(place), domain: textIn(domain) };
      });
    },
  },
};
