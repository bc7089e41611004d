/** Conversion of untrusted documents to text, off the main thread. */

/** A web page as text. */
export interface PageDocument {
  readonly title: string;
  /** The first lines of the text: title, author, date and site, with the blank lines after them. */
  readonly heading: string;
  /** The heading and the main text as Markdown, or the part that was asked for: links absolute, no navigation, no hidden elements. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly total: number;
  /** Facts about the page that can explain a poor text. */
  readonly facts: PageFacts;
}

/** Facts about a page besides its main text. */
export interface PageFacts {
  readonly elements: number;
  /** Characters of all text that a person would see. */
  readonly visibleChars: number;
  readonly scripts: number;
  /** The start of the main text. */
  readonly start: string;
  /** The text for browsers without scripts. */
  readonly noscript: string;
  /** It has a password field. */
  readonly hasPassword: boolean;
  /** The address to which it sends a browser by itself. */
  readonly refresh?: string | undefined;
  /** It declares itself as paid content. */
  readonly isPaid: boolean;
}

/** Reads untrusted documents. Each is bounded in time and memory. */
export interface Documents {
  /**
   * The main text of an HTML page.
   *
   * @throws HaftError `file_too_large` for a page that takes too long or too much memory.
   */
  page(html: Uint8Array<ArrayBuffer>, options: PageOptions): Promise<PageDocument>;
  /** Gets ready for a page that is about to arrive. */
  prepare?(): void;
  /** Whether a robots.txt lets Haft fetch an address. Present if the user's settings ask for it (`web.robots`). */
  allows?(robots: string, url: string): Promise<boolean>;
}

/** How a page is read. */
export interface PageOptions {
  /** The address of the page; links become absolute with it. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** The encoding. For none, UTF-8 and windows-1252 the bytes decide between these two. */
  readonly encoding?: string;
  /** The part of the text to return. Default: all of it. */
  readonly part?: TextPart;
}

/** A part of a text, in characters. */
export interface TextPart {
  readonly from: number;
  readonly chars: number;
}

/** A model for small tasks of tools, such as answering a question about a text. The user chooses it. */
export interface SmallModel {
  readonly name: string;
  ask(request: { readonly system: string; readonly prompt: string; readonly signal: AbortSignal }): Promise<string>;
}
