/** A value of the literal subset of Starlark. */
export type Literal = string | number | boolean | null | readonly Literal[];

/** A call at the top of a file: its name and its keyword arguments. */
export interface StarlarkCall {
  readonly name: string;
  readonly line: number;
  readonly arguments: Readonly<Record<string, Literal>>;
}

/** A value that is not a literal, with its line. */
export class NotLiteral extends Error {
  override name = "NotLiteral";
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

interface Token {
  readonly kind: "name" | "text" | "number" | "mark" | "end";
  readonly text: string;
  readonly line: number;
}

/**
 * Reads a Starlark file of calls with keyword arguments whose values are texts, numbers, True, False, None and lists of
 * these. Rule files contain nothing else; a file with computations is refused, not guessed at.
 *
 * @throws NotLiteral for anything else.
 */
export function parseCalls(source: string): StarlarkCall[] {
  const tokens = tokensOf(source);
  let at = 0;
  const peek = (): Token => tokens[at]!;
  const take = (text?: string): Token => {
    const token = tokens[at]!;
    if (text !== undefined && (token.kind !== "mark" || token.text !== text)) throw unexpected(token, `"${text}"`);
    at = Math.min(at + 1, tokens.length - 1);
    return token;
  };
  const isMark = (text: string) => peek().kind === "mark" && peek().text === text;

  const value = (depth: number): Literal => {
    const token = take();
    if (token.kind === "text") {
      let text = token.text;
      while (peek().kind === "text") text += take().text;
      return text;
    }
    if (token.kind === "number") return Number(token.text);
    if (token.kind === "name" && Object.hasOwn(CONSTANTS, token.text)) return CONSTANTS[token.text]!;
    const close = token.kind === "mark" ? { "[": "]", "(": ")" }[token.text] : undefined;
    if (close === undefined || depth > MOST_DEPTH) throw unexpected(token, "a text, a number or a list");
    const items: Literal[] = [];
    while (!isMark(close)) {
      items.push(value(depth + 1));
      if (!isMark(close)) take(",");
    }
    take(close);
    return items;
  };

  const calls: StarlarkCall[] = [];
  while (peek().kind !== "end") {
    if (isMark(";")) {
      take();
      continue;
    }
    const name = take();
    if (name.kind !== "name") throw unexpected(name, "a call");
    take("(");
    const given: Record<string, Literal> = Object.create(null);
    while (!isMark(")")) {
      const key = take();
      if (key.kind !== "name") throw unexpected(key, "an argument with its name");
      if (Object.hasOwn(given, key.text)) throw new NotLiteral(`"${key.text}" is given twice.`, key.line);
      take("=");
      given[key.text] = value(0);
      if (!isMark(")")) take(",");
    }
    take(")");
    calls.push({ name: name.text, line: name.line, arguments: given });
  }
  return calls;
}

/** Real rule files nest two levels deep. */
const MOST_DEPTH = 20;

const CONSTANTS: Readonly<Record<string, Literal>> = { True: true, False: false, None: null };

const unexpected = ({ kind, text, line }: Token, wanted: string): NotLiteral =>
  new NotLiteral(`Expected ${wanted}, found ${kind === "end" ? "the end" : JSON.stringify(text)}.`, line);

const PIECE =
  /[ \t\r\n]+|\\\n|#[^\n]*|(?<text>[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'))|(?<name>[A-Za-z_]\w*)|(?<number>-?\d+)|(?<mark>[()[\],=;])/y;

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  PIECE.lastIndex = 0;
  for (let from = 0; from < source.length; ) {
    PIECE.lastIndex = from;
    const match = PIECE.exec(source);
    if (!match) throw new NotLiteral(`"${source[from]}" is not a literal.`, line);
    const { text, name, number, mark } = match.groups ?? {};
    if (text !== undefined) tokens.push({ kind: "text", text: unquoted(text, line), line });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, line });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, line });
    else if (mark !== undefined) tokens.push({ kind: "mark", text: mark, line });
    line += match[0].split("\n").length - 1;
    from += match[0].length;
  }
  tokens.push({ kind: "end", text: "", line });
  return tokens;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "\n": "",
};

function unquoted(written: string, line: number): string {
  const [, prefix = "", rest = ""] = /^([rRbB]*)([\s\S]*)$/.exec(written) ?? [];
  if (/b/i.test(prefix)) throw new NotLiteral("Bytes are not text.", line);
  const length = rest.startsWith('"""') || rest.startsWith("'''") ? 3 : 1;
  const body = rest.slice(length, -length);
  if (/r/i.test(prefix)) return body;
  return body.replaceAll(/\\([\s\S])/g, (_, character: string) => {
    const meant = ESCAPES[character];
    if (meant === undefined) throw new NotLiteral(`The escape "\\${character}" is not known here.`, line);
    return meant;
  });
}
