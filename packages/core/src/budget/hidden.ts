/**
 * Characters that people cannot see but a model reads: Unicode tags, and variation selectors without effect. They can
 * hide text, so models and people both see their numbers.
 */

/** A fast check: hardly any text contains one. */
const SUSPECT = /[\udb40-\udb43]|[\ufe00-\ufe0f]/;

/** The three flags that are written with tags. */
const FLAGS =
  "\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}";
const SELECTOR = "[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]";

/** Sequences that stay unchanged, before the characters that are shown by their number. */
const HIDDEN = new RegExp(
  [
    `(${FLAGS}|[0-9#*][\\uFE0E\\uFE0F](?!${SELECTOR})|\\p{Script=Han}[\\u{E0100}-\\u{E01EF}](?!${SELECTOR}))`,
    `${SELECTOR}{2,}|(?<=^|[\\u0000-\\u007f])${SELECTOR}`,
    "[\\u{E0000}-\\u{E0FFF}]",
  ].join("|"),
  "gu",
);

const numbered = (text: string): string =>
  Array.from(text, (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}›`).join("");

/** A text with its hidden characters shown by their number: `‹U+E0041›`. */
export const showHidden = (text: string): string =>
  SUSPECT.test(text) ? text.replaceAll(HIDDEN, (found, kept?: string) => kept ?? numbered(found)) : text;

const NUMBER = /‹U\+(FE0[0-9A-F]|E0[0-9A-F]{3})›/g;

/** Whether a text names hidden characters by their number. */
export const namesHidden = (text: string): boolean => text.search(NUMBER) >= 0;

/** Texts with the numbers turned back into hidden characters: those numbers that the first text contains. */
export function withHidden(...texts: readonly [string, ...string[]]): string[] {
  const named = new Set(Array.from(texts[0].matchAll(NUMBER), ([whole]) => whole));
  return texts.map((text) =>
    text.replaceAll(NUMBER, (whole, code: string) =>
      named.has(whole) ? String.fromCodePoint(Number.parseInt(code, 16)) : whole,
    ),
  );
}
