/** The port to deferred tools: only their names are offered until somebody loads them. */

/** A tool in the results of a tool search. */
export interface CatalogTool {
  readonly name: string;
  /** The server, plugin or package that it comes from. */
  readonly server: string;
  /** Its purpose, in a line. */
  readonly summary: string;
  /** Comparable only within one answer. */
  readonly score: number;
  /** Whether the model has its definition already. */
  readonly isLoaded: boolean;
}

/** The results of a search among the deferred tools. */
export interface CatalogAnswer {
  /** Best first. */
  readonly tools: readonly CatalogTool[];
  /** Requested names that do not exist, each with the nearest known name. */
  readonly missing: readonly { readonly name: string; readonly nearest?: string }[];
}

/** A source of tools that could not be reached. */
export interface FailedSource {
  readonly name: string;
  readonly why: string;
}

/**
 * The deferred tools. Loading one adds its definition to every later request of this agent. It changes only Haft's own
 * list, is idempotent, and the order does not matter.
 */
export interface Catalog {
  /** Builds the search index, with pauses: the first search of many tools must not block everything else. */
  prepare(pause: () => Promise<void>): Promise<void>;
  /**
   * `select:A,B` names tools; a `+word` must occur; other words rank. Returns at most `limit` tools, or all named ones.
   */
  search(query: string, limit: number): CatalogAnswer;
  load(names: readonly string[]): void;
  /** Sources that are still connecting, without those whose wait has timed out. */
  connecting(): readonly string[];
  failed(): readonly FailedSource[];
  /** Resolves when no source is connecting any more, or when the signal fires. Never rejects. */
  settled(signal: AbortSignal): Promise<void>;
}
