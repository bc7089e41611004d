import type { LiteralPart, WordPart } from "unbash";

/** No command should expand a word to more words than this. */
export const MOST_WORDS = 100_000;

/** How many words the braces among these parts give, at most. */
export const countWords = (parts: readonly WordPart[]): number =>
  parts.reduce((count, part) => (part.type === "BraceExpansion" ? count * countIn(part.text) : count), 1);

const RANGE = /^\{(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\}$/;
/** Maximum number of characters in a letter range. */
const MOST_LETTERS = 128;

/** For a list the sum of its members; for each member the product of its braces. */
function countIn(source: string): number {
  const [, from, to, step] = RANGE.exec(source) ?? [];
  if (from !== undefined)
    return Math.floor(Math.abs(Number(to) - Number(from)) / Math.max(1, Math.abs(Number(step ?? 1)))) + 1;
  let [sum, member, depth, start] = [0, 1, 0, 0];
  for (const [at, char] of [...source.slice(1, -1)].entries()) {
    if (char === "{" && depth++ === 0) start = at;
    else if (char === "}" && --depth === 0) member *= countIn([...source.slice(1, -1)].slice(start, at + 1).join(""));
    else if (char === "," && depth === 0) [sum, member] = [sum + member, 1];
  }
  return sum === 0 ? Math.max(member, MOST_LETTERS) : sum + member;
}

/** Longer expansions are not built. */
const MAX_WORDS = 32;

/**
 * The words of a brace expansion, each as parts: `a{b,c}d` gives `abd` and `acd`. Ranges, nested braces and parts with an expansion in them
 * give nothing. The caller then only knows that there are words.
 */
export function expandBraces(parts: readonly WordPart[]): WordPart[][] | undefined {
  let words: WordPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    // Braces expand first: `$PWD{a,b}` is `$PWDa $PWDb`.
    if (part.type === "BraceExpansion" && parts[index - 1]?.type === "SimpleExpansion") return undefined;
    const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [part];
    if (choices === undefined || words.length * choices.length > MAX_WORDS) return undefined;
    words = words.flatMap((word) => choices.map((choice) => [...word, choice]));
  }
  return words;
}

function alternatives(source: string): LiteralPart[] | undefined {
  const inner = source.slice(1, -1);
  if (!/^[\w./@:+=-]*(,[\w./@:+=-]*)+$/.test(inner)) return undefined;
  return inner.split(",").map((value) => ({ type: "Literal", pos: 0, end: 0, value, text: value }));
}
