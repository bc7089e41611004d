/** Escape sequences that models often escape once too often, and their meanings. */
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
 * Removes one level of escaping from the old and new text. In the new text, resolves only the sequences that the old
 * text has too: others may be intended.
 */
export function unescaped(old: string, next: string): [old: string, next: string] {
  const used = new Set(Array.from(old.matchAll(SEQUENCE), (found) => found[1]));
  return [resolved(old, used), resolved(next, used)];
}

const resolved = (text: string, used: ReadonlySet<string | undefined>): string =>
  text.replace(SEQUENCE, (whole, letter: string) => (used.has(letter) ? (meanings[letter] ?? whole) : whole));
