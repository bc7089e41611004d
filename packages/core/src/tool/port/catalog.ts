/** The port to tools that are offered by name only, until somebody wants them. */

/** A tool as a search for tools finds it. */
export interface CatalogTool {
  readonly name: string;
  /** The server, plugin or package that it comes from. */
  readonly server: string;
  /** What it is for, in a line. */
  readonly summary: string;
  /** Only good for comparing the tools of one answer. */
  readonly score: number;
  /** Whether the model has its definition already. */
  readonly isLoaded: boolean;
}

/** What a search among the tools that are not offered found. */
export interface CatalogAnswer {
  /** Best first. */
  readonly tools: readonly CatalogTool[];
  /** Names that were asked for and that nobody bears, each with the nearest known one. */
  readonly missing: readonly { readonly name: string; readonly nearest?: string }[];
}

/** A source of tools that could not be reached. */
export interface FailedSource {
  readonly name: string;
  readonly why: string;
}

/**
 * The tools that may be offered by name only. Loading one puts its definition into every later request of this agent:
 * that changes Haft's own list and nothing else, doing it twice is doing it once, and the order does not matter.
 */
export interface Catalog {
  /** Gets ready to search, with pauses: the first search of many tools must not hold everything else up. */
  prepare(pause: () => Promise<void>): Promise<void>;
  /**
   * `select:A,B` names tools; a `+word` must occur; other words rank. At most `limit` tools, or all that were named.
   */
  search(query: string, limit: number): CatalogAnswer;
  load(names: readonly string[]): void;
  /** Sources whose tools are still to come, without those that were waited for in vain. */
  connecting(): readonly string[];
  failed(): readonly FailedSource[];
  /** Resolves when no source is connecting any more, or when the signal fires. Never rejects. */
  settled(signal: AbortSignal): Promise<void>;
}
