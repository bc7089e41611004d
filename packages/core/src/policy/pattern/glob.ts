/** Text in which `*` matches anything, spaces included. */
export interface Glob {
  readonly source: string;
  /** Without `*`: matches only the text itself. */
  readonly isExact: boolean;
  /** The text that every match begins with. */
  readonly prefix: string;
  matches(text: string): boolean;
}

/**
 * Compiles a pattern: `*` matches any characters, `\*` matches a star. It does not use regular expressions, so no
 * pattern and no input can make it slow.
 */
export function compileGlob(source: string): Glob {
  const pieces = splitAtStars(source);
  const prefix = pieces[0] ?? "";
  if (pieces.length === 1) return { source, isExact: true, prefix, matches: (text) => text === prefix };
  const suffix = pieces.at(-1) ?? "";
  const middle = pieces.slice(1, -1).filter((piece) => piece !== "");
  const shortest = pieces.reduce((length, piece) => length + piece.length, 0);
  return {
    source,
    isExact: false,
    prefix,
    matches: (text) =>
      text.length >= shortest &&
      text.startsWith(prefix) &&
      text.endsWith(suffix) &&
      appearInOrder(middle, text, prefix.length, text.length - suffix.length),
  };
}

/** Whether a text, read as a pattern, means something other than itself. */
export const hasStar = (source: string): boolean => splitAtStars(source).length > 1;

/** Taking each piece as early as possible leaves the most room for the next, so it needs no second try. */
function appearInOrder(pieces: readonly string[], text: string, start: number, end: number): boolean {
  let from = start;
  for (const piece of pieces) {
    const found = text.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

function splitAtStars(source: string): string[] {
  if (!source.includes("*")) return [source];
  const pieces: string[] = [];
  let piece = "";
  for (let index = 0; index < source.length; index++) {
    const isEscapedStar = source[index] === "\\" && source[index + 1] === "*";
    if (source[index] === "*") {
      pieces.push(piece);
      piece = "";
    } else piece += isEscapedStar ? source[++index] : source[index];
  }
  return [...pieces, piece];
}
