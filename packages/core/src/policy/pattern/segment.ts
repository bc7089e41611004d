import { fitsStarred } from "./starred.ts";

/** One segment of a path pattern, compiled. The caller folds pattern and name. */
export interface Segment {
  /** The name itself if the segment has no wildcard. */
  readonly literal?: string;
  /** The literal end after the last dot (`.pem`). An index can find the segment by it. */
  readonly extension?: string;
  matches(name: string): boolean;
}

type Token = string | { readonly any: true } | { readonly star: true } | CharacterClass;

interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [from: string, to: string])[];
}

const any = { any: true } as const;
const star = { star: true } as const;

/**
 * Compiles `*` (any characters), `?` (one), `[a-z]`, `[!a-z]` and `\x` (the character itself), all within one segment.
 * Returns the reason if the text is not a pattern.
 */
export function compileSegment(source: string): Segment | { readonly problem: string } {
  const tokens: Token[] = [];
  for (let index = 0; index < source.length; index++) {
    const character = source[index] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== star) tokens.push(star);
    } else if (character === "?") tokens.push(any);
    else if (character === "[") {
      const parsed = parseClass(source, index);
      if (!parsed) return { problem: `"[" in "${source}" is never closed` };
      tokens.push(parsed.token);
      index = parsed.end;
    } else if (character === "\\") {
      index++;
      if (index >= source.length) return { problem: `"${source}" ends in a backslash` };
      tokens.push(source[index] ?? "");
    } else if (character === "{" || character === "}")
      return { problem: `braces are not alternatives here ("${source}")` };
    else tokens.push(character);
  }
  if (tokens.every((token) => typeof token === "string")) {
    const literal = tokens.join("");
    return { literal, matches: (name) => name === literal };
  }
  const extension = literalExtension(tokens);
  return {
    matches: (name) => fitsStarred<Token>(tokens, name, star, matchesOne),
    ...(extension === undefined ? {} : { extension }),
  };
}

/** The text as a pattern that matches only itself. */
export const escapeSegment = (text: string): string => text.replaceAll(/[\\*?[\]{}]/g, "\\$&");

function matchesOne(token: Token, character: string): boolean {
  if (typeof token === "string") return token === character;
  if (!("ranges" in token)) return true;
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated;
}

function parseClass(source: string, open: number): { token: CharacterClass; end: number } | undefined {
  let index = open + 1;
  const negated = source[index] === "!" || source[index] === "^";
  if (negated) index++;
  const ranges: [string, string][] = [];
  // A "]" that comes first is a member, as in every shell.
  for (let isFirst = true; index < source.length; isFirst = false) {
    if (source[index] === "]" && !isFirst) return { token: { negated, ranges }, end: index };
    const from = characterAt(source, index);
    const isRange = source[from.end] === "-" && from.end + 1 < source.length && source[from.end + 1] !== "]";
    const to = isRange ? characterAt(source, from.end + 1) : from;
    ranges.push([from.character, to.character]);
    index = to.end;
  }
  return undefined;
}

function characterAt(source: string, index: number): { character: string; end: number } {
  const isEscaped = source[index] === "\\" && index + 1 < source.length;
  const at = isEscaped ? index + 1 : index;
  return { character: source[at] ?? "", end: at + 1 };
}

function literalExtension(tokens: readonly Token[]): string | undefined {
  const lastWild = tokens.findLastIndex((token) => typeof token !== "string");
  const tail = tokens.slice(lastWild + 1).join("");
  const dot = tail.lastIndexOf(".");
  return dot < 0 ? undefined : tail.slice(dot);
}
