/** Web search, with the provider that the user chose. */

/** A search query. */
export interface WebSearchQuery {
  readonly query: string;
  readonly count: number;
  /** Only results of these domains and their subdomains. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly signal: AbortSignal;
}

/** One result. */
export interface WebSearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** Its publication date, in the provider's format. */
  readonly date?: string;
}

/** A web search provider. It holds its own key, and sends the key and the query only to its own address. */
export interface WebSearchPort {
  readonly provider: string;
  /** The address of the provider. */
  readonly address: string;
  /** @throws HaftError `fetch_failed`, `permission_denied` for a rejected key, `limit_reached`. */
  find(query: WebSearchQuery): Promise<readonly WebSearchHit[]>;
}
