/** Documents of others, turned into text away from the thread that everybody waits for. */

/** A web page as text. */
export interface PageDocument {
  readonly title: string;
  /** The main text as Markdown: links absolute, no navigation, no hidden elements. */
  readonly markdown: string;
  readonly author?: string;
  readonly published?: string;
  readonly site?: string;
  /** Facts about the page by which a poor text can be explained. */
  readonly facts: PageFacts;
}

/** What a page is like beside its main text. */
export interface PageFacts {
  readonly elements: number;
  /** Characters of all text that a person would see. */
  readonly visibleChars: number;
  readonly scripts: number;
  /** Text for browsers that run no scripts. */
  readonly noscript: string;
  /** It asks for a password. */
  readonly hasPassword: boolean;
  /** It says of itself that only those who pay may read it. */
  readonly isPaid: boolean;
}

/** Reads documents that strangers made. Each is bounded in time and memory. */
export interface Documents {
  /**
   * The main text of an HTML page.
   *
   * @throws HaftError `file_too_large` for a page that takes too long or too much memory.
   */
  page(html: string, options: { readonly url: string; readonly signal: AbortSignal }): Promise<PageDocument>;
}

/** A model for small tasks of tools, chosen by the user: to answer a question about a text. */
export interface SmallModel {
  readonly name: string;
  ask(request: { readonly system: string; readonly prompt: string; readonly signal: AbortSignal }): Promise<string>;
}
