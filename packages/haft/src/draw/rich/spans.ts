import { columnAfter, type Ink, paint, type Style } from "../style.ts";

/** A piece of text with its inks. Sanitised. */
export interface Span {
  readonly text: string;
  readonly inks?: readonly Ink[];
  /** Target of a link. */
  readonly url?: string;
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Breaks spans into rows of at most so many columns, between words if possible. `\n` begins a row. */
export function wrapSpans(spans: readonly Span[], width: number): readonly (readonly Span[])[] {
  const rows: Span[][] = [[]];
  let column = 0;
  const put = (span: Span, text: string): void => {
    rows.at(-1)!.push({ ...span, text });
    column = columnAfter(text, column);
  };
  const next = (): void => {
    rows.push([]);
    column = 0;
  };
  for (const word of words(spans)) {
    const text = word.map((piece) => piece.text).join("");
    if (text === "\n") next();
    else if (columnAfter(text, column) <= width) {
      if (column > 0 || !isBlank(text) || rows.length === 1) for (const piece of word) put(piece, piece.text);
    } else if (isBlank(text)) next();
    else {
      if (column > 0) next();
      for (const piece of word)
        for (const character of piece.text) {
          if (columnAfter(character, column) > width && column > 0) next();
          put(piece, character);
        }
    }
  }
  return rows.map(trimmed);
}

/** A word may have pieces of several inks. Blanks and line breaks are words of their own. */
function words(spans: readonly Span[]): Span[][] {
  const found: Span[][] = [];
  let isInWord = false;
  for (const span of spans)
    for (const [text] of span.text.matchAll(/\n|[^\S\n]+|[^\s]+/g)) {
      const isWord = !isBlank(text);
      if (isWord && isInWord) found.at(-1)!.push({ ...span, text });
      else found.push([{ ...span, text }]);
      isInWord = isWord;
    }
  return found;
}

/** Without the blanks at its end. */
function trimmed(row: readonly Span[]): readonly Span[] {
  const end = row.findLastIndex(({ text }) => !isBlank(text));
  return row.slice(0, end + 1);
}

/** The row as text for a terminal. */
export const paintSpans = (row: readonly Span[], style: Style): string =>
  joined(row)
    .map((span) => paintSpan(span, style))
    .join("");

function paintSpan({ text, inks = [], url }: Span, style: Style): string {
  const painted = inks.reduce((so, ink) => paint(style, ink, so), text);
  return url !== undefined && style.links ? `\u001b]8;;${url}\u001b\\${painted}\u001b]8;;\u001b\\` : painted;
}

function joined(row: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  for (const span of row) {
    const last = spans.at(-1);
    if (last && last.url === span.url && String(last.inks ?? []) === String(span.inks ?? []))
      spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
  return spans;
}
