/** Searching the web, with whichever provider the user chose. */

/** What is looked for. */
export interface WebSearchQuery {
  readonly query: string;
  readonly count: number;
  /** Only results of these domains and those below them. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly signal: AbortSignal;
}

/** One result. */
export interface WebSearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** When it was published, as the provider says it. */
  readonly date?: string;
}

/** A provider of web searches. It holds its own key, and sends it and the query to its own address alone. */
export interface WebSearchPort {
  readonly provider: string;
  /** Where it is asked. */
  readonly address: string;
  /** @throws HaftError `fetch_failed`, `permission_denied` for a key that is not taken, `limit_reached`. */
  find(query: WebSearchQuery): Promise<readonly WebSearchHit[]>;
}
