/**
 * Finds the line on which a place of a JSON5 text stands, by walking its tokens. JSON5's own parser keeps no places, and
 * an error that names its line is worth these few lines. A text that JSON5 accepts is taken for granted.
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
  const stack: { key: string; index: number; isList: boolean }[] = [];
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
      found.set(keyOf(here()), last.line);
    } else if (word === "}" || word === "]") {
      stack.pop();
    } else if (word === ",") {
      if (top) top.index++;
    } else {
      if (top?.isList && !found.has(keyOf(here()))) found.set(keyOf(here()), line);
      if (word === "{" || word === "[") stack.push({ key: "", index: 0, isList: word === "[" });
    }
    last = { text: word, line };
  }
  return found;
}

const unquote = (word: string): string => (/^["']/.test(word) ? word.slice(1, -1) : word);
