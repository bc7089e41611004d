import type { NetRequest, WebSearchHit, WebSearchQuery } from "@haft/core/tool";

/** A result as a provider gives it. */
export interface ProviderHit extends WebSearchHit {
  /** The domain of the page, if the address is not that of the page. */
  readonly domain?: string;
}

/** How to query one provider and read its answers. */
export interface SearchProvider {
  /** Its own address. Without one, the user must configure it. */
  readonly address?: string;
  /** The variable that holds its key, or for SearXNG its address. A provider without a variable needs no key. */
  readonly variable?: string;
  /** The variable with another address for it. */
  readonly addressVariable?: string;
  /** It is a model's provider: its search needs a model. */
  readonly isNative?: true;
  request(
    base: URL,
    query: WebSearchQuery,
    key: string,
    model: string,
  ): { readonly url: URL; readonly init: NetRequest };
  /** Reads a body that came with a good status. Throws for an unknown format. */
  read(body: string): readonly ProviderHit[];
}

/** An object of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** The value, if it is a text. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Adds domains as search operators, for providers that support no other way. */
export function withOperators({ query, allowedDomains = [], blockedDomains = [] }: WebSearchQuery): string {
  const only = allowedDomains.map((domain) => `site:${domain}`).join(" OR ");
  const not = blockedDomains.map((domain) => `-site:${domain}`).join(" ");
  return [query, only && (allowedDomains.length > 1 ? `(${only})` : only), not].filter(Boolean).join(" ");
}

/** The address with a path and fields added. */
export function withQuery(base: URL, path: string, fields: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}

/** A request with a JSON body. */
export const post = (url: URL, headers: Readonly<Record<string, string>>, body: object) => ({
  url,
  init: { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
});
