import { fitsStarred } from "@haft/core/policy";

/**
 * Wildcard patterns, in which `*` matches any text and `?` one character, as sets of texts. Tells whether one covers
 * another, and whether two overlap. Both take time proportional to the product of the lengths.
 */

/** Whether the pattern matches the text. */
export const wildcardMatches = (pattern: string, text: string): boolean => meets(pattern, text, literal);

/**
 * Whether every text of `narrow` is also in `wide`. A yes is certain. A no may be wrong where only several parts of `wide`
 * together cover it.
 */
export const covers = (wide: string, narrow: string): boolean => meets(wide, narrow, asSet);

/** Whether some text matches both. */
export function overlaps(a: string, b: string): boolean {
  // reached[j]: the first i characters of `a` and the first j of `b` can match the same text.
  let reached = closure(
    b,
    Array.from({ length: b.length + 1 }, (_, j) => j === 0),
    false,
  );
  for (const character of a) {
    const next = new Array<boolean>(b.length + 1).fill(false);
    if (character === "*") {
      let any = false;
      for (let j = 0; j <= b.length; j++) next[j] = any ||= reached[j] === true;
    } else
      for (let j = 0; j <= b.length; j++) {
        if (!reached[j]) continue;
        const other = b[j];
        if (other === "*") next[j] = true;
        else if (other !== undefined && (other === character || other === "?" || character === "?")) next[j + 1] = true;
      }
    reached = closure(b, next, true);
  }
  return reached[b.length] === true;
}

/** A star of `b` can also match nothing. */
function closure(b: string, reached: boolean[], isCopied: boolean): boolean[] {
  const closed = isCopied ? reached : [...reached];
  for (let j = 0; j < b.length; j++) if (closed[j] && b[j] === "*") closed[j + 1] = true;
  return closed;
}

type Meets = (wanted: string, given: string) => boolean;

const literal: Meets = (wanted, given) => wanted === "?" || wanted === given;
/** A star on the right matches more than any single character on the left. */
const asSet: Meets = (wanted, given) => given !== "*" && (wanted === "?" || wanted === given);

const meets = (pattern: string, text: string, same: Meets): boolean => fitsStarred(pattern, text, "*", same);
