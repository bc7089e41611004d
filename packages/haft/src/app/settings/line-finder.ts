import JSON5 from "json5";

/**
 * Finds the line of a path in a JSON5 text by walking its tokens. JSON5's own parser keeps no positions, and an error that
 * names its line is worth these few lines. Assumes a text that JSON5 accepts.
 */
export function lineFinder(text: string): (path: readonly string[]) => number | undefined {
  let lines: Map<string, number> | undefined;
  return (path) => {
    lines ??= linesOf(text);
    return lines.get(keyOf(path));
  };
}

const keyOf = (path: readonly string[]): string => path.join("\u0000");

/** A string in either quote, a comment, a bare word or number, or one mark. */
const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\s{}[\],:"'/]+|[{}[\],:]/g;

function linesOf(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const { path, line } of placesIn(text)) found.set(keyOf(path), line);
  return found;
}

/** Settings are a few levels deep. Deeper nesting is a mistake. */
const DEEPEST = 32;

/** Mistakes that JSON5 accepts silently: a duplicate key, whose first value would be lost, and endless nesting. */
export function mistakeIn(
  text: string,
): { readonly message: string; readonly cure: string; readonly line: number } | undefined {
  const seen = new Map<string, number>();
  for (const { path, line, isKey } of placesIn(text)) {
    if (path.length > DEEPEST)
      return { message: `It is nested more than ${DEEPEST} levels deep.`, cure: "Remove brackets.", line };
    if (!isKey) continue;
    const first = seen.get(keyOf(path));
    if (first !== undefined)
      return {
        message: `"${path.join(".")}" appears twice (also on line ${first}), and the first would be lost.`,
        cure: "Merge the two.",
        line,
      };
    seen.set(keyOf(path), line);
  }
  return undefined;
}

interface Place {
  readonly path: readonly string[];
  readonly line: number;
  /** A key of an object, not an element of a list. */
  readonly isKey: boolean;
}

function* placesIn(text: string): Generator<Place> {
  const stack: { key: string; index: number; isList: boolean; told: number }[] = [];
  let line = 1;
  let from = 0;
  let last: { text: string; line: number } | undefined;
  const here = (): string[] => stack.map(({ key, index, isList }) => (isList ? String(index) : key));
  for (const match of text.matchAll(token)) {
    line += text.slice(from, match.index).split("\n").length - 1;
    from = match.index;
    const [word] = match;
    if (word.startsWith("//") || word.startsWith("/*")) continue;
    const top = stack.at(-1);
    if (word === ":" && top && last) {
      top.key = unquote(last.text);
      yield { path: here(), line: last.line, isKey: true };
    } else if (word === "}" || word === "]") {
      stack.pop();
    } else if (word === ",") {
      if (top) top.index++;
    } else {
      if (top?.isList && top.told < top.index) {
        top.told = top.index;
        yield { path: here(), line, isKey: false };
      }
      if (word === "{" || word === "[") stack.push({ key: "", index: 0, isList: word === "[", told: -1 });
    }
    last = { text: word, line };
  }
}

/** A key after unescaping: `"d\u0065ny"` is `deny`. */
const unquote = (word: string): string => {
  const plain = /^["']/.test(word) ? word.slice(1, -1) : word;
  if (!plain.includes("\\")) return plain;
  try {
    return Object.keys(JSON5.parse<object>(`{${word}:0}`))[0] ?? plain;
  } catch {
    return plain;
  }
};
