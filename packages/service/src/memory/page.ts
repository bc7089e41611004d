/** A line of a memory page that holds a fact. `id` is absent for a line that a person wrote. */
export interface PageLine {
  readonly text: string;
  readonly id?: string;
  /** Its place among all lines of the page. */
  readonly index: number;
}

const MARK = /^(.*?)\s*<!-- ([a-z0-9]{8}) -->\s*$/;

/** The facts of a page: every line with words, without headings. */
export function linesOf(page: string): readonly PageLine[] {
  return page.split(/\r?\n/).flatMap((line, index) => {
    const [, marked = line, id] = MARK.exec(line) ?? [];
    const text = oneLine(marked.replace(/^\s*[-*+]\s+/, ""));
    return text === "" || /^\s*#/.test(line) || /^\s*<!--/.test(line)
      ? []
      : [{ text, index, ...(id === undefined ? {} : { id }) }];
  });
}

/** The page with one more fact at its end. */
export function withLine(page: string, id: string, text: string): string {
  const start = page.trim() === "" ? "# Memory\n" : page.trimEnd();
  return `${start}\n${lineOf(id, text)}\n`;
}

/** The page with another text for a fact, or without it. */
export function withText(page: string, { index }: PageLine, id: string, text: string | undefined): string {
  const lines = page.split("\n");
  lines.splice(index, 1, ...(text === undefined ? [] : [lineOf(id, text)]));
  return lines.join("\n");
}

const lineOf = (id: string, text: string): string => `- ${text} <!-- ${id} -->`;

/**
 * A fact as one line of plain text. It cannot open a heading, a comment or a tag, so it stays inside its section of the
 * prompt.
 */
export const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .replace(/<(?=[!/a-z])/gi, "< ")
    .replace(/^[\s#>*+-]+(?=\s|$)/, "")
    .replace(/\s+/g, " ")
    .trim();
