import { folded } from "../../support/unicode.ts";

/** Differences to ignore when comparing two lines, from none to most. */
const lineLadder: readonly (readonly [name: string, same: (line: string) => string])[] = [
  ["exact", (line) => line],
  ["trailing-space", (line) => line.trimEnd()],
  ["line-trim", (line) => line.trim()],
  ["unicode", (line) => Array.from(line, folded).join("").trim()],
];

/** The position of matched lines, and the differences that were ignored. */
export interface Sought {
  readonly at: number;
  readonly how: string;
}

/**
 * Finds the first match at or after `from`, by the strictest comparison that finds any. `atEnd`: only the last position
 * of the file counts. Linear in the text, even if its lines are alike.
 */
export function seekLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): Sought | undefined {
  const last = lines.length - wanted.length;
  const first = atEnd ? Math.max(last, from) : from;
  if (first > last) return undefined;
  for (const [how, same] of lineLadder) {
    const text = `\n${lines.slice(first).map(same).join("\n")}\n`;
    const found = text.indexOf(`\n${wanted.map(same).join("\n")}\n`);
    if (found >= 0) return { at: first + lineOf(text, found), how };
  }
  return undefined;
}

function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf("\n"); at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
