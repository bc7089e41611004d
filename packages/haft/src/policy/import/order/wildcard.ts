import { fitsStarred } from "@haft/core/policy";

/**
 * Patterns in which `*` stands for any text and `?` for one character, as sets of texts: which holds all of another, and
 * which share a text. Both answers take time in proportion to the product of the lengths.
 */

/** Whether the pattern means the text. */
export const wildcardMatches = (pattern: string, text: string): boolean => meets(pattern, text, literal);

/**
 * Whether every text of `narrow` is also one of `wide`. A yes is certain; a no may be wrong where only several parts of
 * `wide` together would do.
 */
export const covers = (wide: string, narrow: string): boolean => meets(wide, narrow, asSet);

/** Whether some text is meant by both. */
export function overlaps(a: string, b: string): boolean {
  // reached[j]: the first i characters of `a` and the first j of `b` can stand for the same text.
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

/** A star of `b` may also stand for nothing. */
function closure(b: string, reached: boolean[], isCopied: boolean): boolean[] {
  const closed = isCopied ? reached : [...reached];
  for (let j = 0; j < b.length; j++) if (closed[j] && b[j] === "*") closed[j + 1] = true;
  return closed;
}

type Meets = (wanted: string, given: string) => boolean;

const literal: Meets = (wanted, given) => wanted === "?" || wanted === given;
/** A star on the right is more than any single character on the left can be. */
const asSet: Meets = (wanted, given) => given !== "*" && (wanted === "?" || wanted === given);

const meets = (pattern: string, text: string, same: Meets): boolean => fitsStarred(pattern, text, "*", same);
