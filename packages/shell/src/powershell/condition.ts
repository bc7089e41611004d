const PROPERTY = /^\$_(\.[a-z_]\w*)*$/i;
const LITERAL = /^(-?\d|'|"|\$(true|false|null)$)/i;
const COMPARISON = /^-[ic]?(eq|ne|gt|ge|lt|le|like|notlike|match|notmatch|contains|notcontains|in|notin)$/i;
const TOKEN =
  /\s*(\$_(?:\.[a-z_]\w*)*|\$(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[kmgt]b)?(?![\w.])|'[^']*'|"[^"$`]*"|-[a-z]+(?!\w)|[!()])/iy;
const MAX_DEPTH = 20;

/** Whether a block is only a property of the current object: it calls nothing. */
export const isPlainProperty = (block: string): boolean => PROPERTY.test(block);

/** Whether a word compares plain values. */
export const isComparison = (word: string): boolean => COMPARISON.test(word);

/** Whether a block only compares properties with plain values. It is read once, left to right. */
export function isPlainCondition(block: string): boolean {
  const tokens = cut(block);
  if (tokens === undefined) return false;
  let at = 0;
  const or = (depth: number): boolean => {
    if (depth > MAX_DEPTH || !one(depth)) return false;
    while (/^-(and|or)$/i.test(tokens[at] ?? "")) {
      at++;
      if (!one(depth)) return false;
    }
    return true;
  };
  const one = (depth: number): boolean => {
    while (/^(!|-not)$/i.test(tokens[at] ?? "")) at++;
    if (tokens[at] === "(") {
      at++;
      return or(depth + 1) && tokens[at++] === ")";
    }
    if (!PROPERTY.test(tokens[at++] ?? "")) return false;
    if (!COMPARISON.test(tokens[at] ?? "")) return true;
    at++;
    return LITERAL.test(tokens[at++] ?? "");
  };
  return or(0) && at === tokens.length;
}

function cut(block: string): string[] | undefined {
  const tokens: string[] = [];
  let at = 0;
  while (at < block.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(block);
    if (found === null) return /^\s*$/.test(block.slice(at)) ? tokens : undefined;
    tokens.push(found[1]!);
    at = TOKEN.lastIndex;
  }
  return tokens;
}
