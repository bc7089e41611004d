/** Escape sequences that models write once too often, and what they stand for. */
const meanings: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "'": "'",
  "`": "`",
  $: "$",
  "\\": "\\",
};

const SEQUENCE = /\\([ntr"'`$\\])/g;

/** Whether a text may have been escaped once too often. */
export const hasEscapes = (text: string): boolean => text.search(SEQUENCE) >= 0;

/**
 * Old and new text with one level of escaping removed. In the new text only those sequences are resolved that the old
 * one has too: others may be meant.
 */
export function unescaped(old: string, next: string): [old: string, next: string] {
  const used = new Set(Array.from(old.matchAll(SEQUENCE), (found) => found[1]));
  return [resolved(old, used), resolved(next, used)];
}

const resolved = (text: string, used: ReadonlySet<string | undefined>): string =>
  text.replace(SEQUENCE, (whole, letter: string) => (used.has(letter) ? (meanings[letter] ?? whole) : whole));
