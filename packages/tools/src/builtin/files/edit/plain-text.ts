import type { TextFile } from "@haft/core/tool";

/**
 * A text prepared for searching: every line end is one `
 * `, whatever the file has, and every offset maps back to the original text.
 */
export interface PlainText {
  readonly raw: string;
  /** The text with `\n` for every line end. */
  readonly plain: string;
  readonly eol: TextFile["eol"];
  /** Ascending offsets of `plain`, as offsets of `raw`. */
  toRaw(offsets: readonly number[]): number[];
}

/** The form of a file's text in which old_string is searched. */
export function plainText({ text, eol }: Pick<TextFile, "text" | "eol">): PlainText {
  if (!text.includes("\r")) return { raw: text, plain: text, eol, toRaw: (offsets) => [...offsets] };
  // If no line ends in `
  // `, a lone `\r` is the line end. Otherwise it is an ordinary character.
  if (eol === "\r") return { raw: text, plain: text.replaceAll("\r", "\n"), eol, toRaw: (offsets) => [...offsets] };
  return { raw: text, plain: withLineFeeds(text), eol, toRaw: (offsets) => rawOffsets(text, offsets) };
}

/** A text with `\n` for each `\r\n`. */
export const withLineFeeds = (text: string): string => text.replaceAll("\r\n", "\n");

function rawOffsets(raw: string, offsets: readonly number[]): number[] {
  let removed = 0;
  let next = raw.indexOf("\r\n");
  return offsets.map((offset) => {
    while (next >= 0 && next - removed < offset) {
      removed += 1;
      next = raw.indexOf("\r\n", next + 2);
    }
    return offset + removed;
  });
}

/** Line numbers, from 1, of the given ascending offsets. */
export function lineNumbers(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  // Keep this from one offset to the next, so that a long line with many offsets is scanned once.
  let end = text.indexOf("\n");
  return offsets.map((offset) => {
    for (; end >= 0 && end < offset; end = text.indexOf("\n", end + 1)) line += 1;
    return line;
  });
}
