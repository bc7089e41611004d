import type { LiteralPart, WordPart } from "unbash";

/** More words than this are not built. */
const MAX_WORDS = 32;

/**
 * The words of a brace expansion, each as parts: `a{b,c}d` gives `abd` and `acd`. Ranges, nested braces and anything with
 * an expansion in it give nothing: the caller then knows only that there are words.
 */
export function expandBraces(parts: readonly WordPart[]): WordPart[][] | undefined {
  let words: WordPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    // Braces come first: `$PWD{a,b}` is `$PWDa $PWDb`.
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
