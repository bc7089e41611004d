/** The files that a short Python program reads. */
export interface PythonLook {
  /** Files that it opens for reading, by the names in it. */
  readonly opens: readonly string[];
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const KEYWORDS = words("for in if else elif not and or is None True False with as lambda import continue break pass");
const MODULES = words("json sys re ast base64 csv math tomllib");
const ANY_MODULE = `(${[...MODULES].join("|")})`;
const FUNCTIONS = words(
  "print len sorted list dict set tuple str int float bool sum max min any all enumerate zip range round abs " +
    "isinstance map filter reversed repr next hex bin ord chr divmod pow",
);
/** Not `format`, `path` or `modules`: all other objects of Python can be reached through them. */
const ATTRIBUTES = words(
  "load loads dump dumps reader DictReader b64decode b64encode encode decode pi sqrt floor ceil log2 log10 stdin stderr stdout argv exit version version_info executable platform maxsize prefix " +
    "get keys values items strip lstrip rstrip split rsplit splitlines join lower upper title startswith endswith replace " +
    "count index find append add extend update setdefault pop sort read readline readlines isdigit " +
    "findall finditer search match fullmatch group groups sub",
);
const IMPORTED = RegExp(`^import ${ANY_MODULE}( , ${ANY_MODULE})*$`);
/** Built-in functions: a program that assigns to one of these names may call it before. */
const BUILT_IN = words(
  "open exec eval compile input getattr setattr delattr hasattr vars globals locals dir help breakpoint type object super " +
    "classmethod staticmethod property memoryview id hash callable copyright credits license exit quit aiter anext",
);

/**
 * Strings without three quotes, then names, numbers, line breaks and signs. No letter beyond ASCII: Python treats some as others. No name
 * before a quote: newer versions have more string prefixes that evaluate values in a string.
 */
const TOKEN =
  /(?<string>([rRbBuUfF]{0,2})(?:'(?:[^'\\\n]|\\.)*'(?!')|"(?:[^"\\\n]|\\.)*"(?!")))|(?<name>[A-Za-z_]\w*(?![\w'"]))|(?<number>\d[\d_]*(?:\.\d+)?)|(?<end>[;\n])|(?<sign>==|!=|<=|>=|:=|\+=|[-()[\]{},:.+*/%<>=|&])|[ \t]+/y;
const OPENED =
  /^open\((?:'([^'\\{}]+)'|"([^"\\{}]+)")(?:, ?(?:mode ?= ?)?(['"])rb?\3)?(?:, ?(?:encoding|errors) ?= ?(?:'[\w-]+'|"[\w-]+"))*\)/;
const FORMATTED = /^[rR]?[fF]/;
const VALUE = /\{([^{}\\#]+)\}/g;
/** The format of a value follows it. */
const SHOWN_AS = /(![rsa])?(:[-+<>=^ ,.\w%#]*)?$/;

/**
 * The reads of a program that only shows data. It may call a few functions that only compute, and open files for reading by a literal name.
 * It is judged word by word: in any combination, these words can change, run or fetch nothing. Any other program gives nothing.
 */
export function looksOfPython(program: string): PythonLook | undefined {
  const opens: string[] = [];
  const tokens = tokensOf(program, opens);
  if (tokens === undefined) return undefined;
  const bound = boundIn(tokens);
  const isKnown = (token: string, index: number): boolean => {
    // In brackets a name may be on the line after its dot.
    if (!/^[A-Za-z_]/.test(token)) return token !== "." || !/^[;\n]$/.test(tokens[index + 1] ?? "");
    if (tokens[index - 1] === ".") {
      if (token === "parse") return takesOne(tokens, index);
      return ATTRIBUTES.has(token) || isPrintedPath(tokens, index);
    }
    if (KEYWORDS.has(token)) return true;
    // The meaning of these names may not change on the way.
    if (MODULES.has(token) || FUNCTIONS.has(token)) return !bound.has(token);
    return bound.has(token) && !BUILT_IN.has(token) && !token.startsWith("__");
  };
  return tokens.every(isKnown) && importsPlainly(tokens) ? { opens } : undefined;
}

/**
 * `print(sys.path)`: elsewhere a program might change the list with which Python finds imports. A name that is called everywhere never
 * changes its meaning: `boundIn` does not know all ways to do that.
 */
const isPrintedPath = (tokens: readonly string[], index: number): boolean =>
  tokens.slice(index - 4, index + 2).join(" ") === "print ( sys . path )" &&
  tokens.every((token, at) => token !== "print" || tokens[at + 1] === "(");

/** `ast.parse(text)`: the second argument is a file name, and for a syntax error Python shows a line of that file. */
function takesOne(tokens: readonly string[], index: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(index + 1)) {
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
    else if (depth === 1 && /^[,*]$/.test(token)) return false;
    if (depth === 0) return token === ")";
  }
  return false;
}

/** Its tokens; each string and each opening of a file is a `0`. Formatted values in strings are tokenized, too. */
function tokensOf(program: string, opens: string[]): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let index = 0; index < program.length; ) {
    const opened = tokens.at(-1) === "." ? null : OPENED.exec(program.slice(index));
    if (opened !== null) {
      opens.push(opened[1] ?? opened[2] ?? "");
      tokens.push("0");
      index += opened[0].length;
      continue;
    }
    TOKEN.lastIndex = index;
    const found = TOKEN.exec(program);
    if (found === null) return undefined;
    index = TOKEN.lastIndex;
    const { string, name, number, end, sign } = found.groups!;
    if (string !== undefined) {
      const parts = FORMATTED.test(string) ? formattedIn(string) : [];
      for (const part of parts ?? [undefined]) {
        const inner = part === undefined ? undefined : tokensOf(part, opens);
        if (inner === undefined) return undefined;
        tokens.push("(", ...inner, ")");
      }
      tokens.push("0");
    } else if (name !== undefined || sign !== undefined || end !== undefined) tokens.push(name ?? sign ?? end!);
    else if (number !== undefined) tokens.push("0");
  }
  return tokens;
}

/** The values in a formatted string. Versions differ in the meaning of two adjacent braces. */
function formattedIn(string: string): readonly string[] | undefined {
  const parts = [...string.matchAll(VALUE)].map(([, part]) => part!.replace(SHOWN_AS, ""));
  return /[{}]/.test(string.replace(VALUE, " ")) ? undefined : parts;
}

/** Names that the program assigns. */
function boundIn(tokens: readonly string[]): ReadonlySet<string> {
  const several = tokens.join(" ").matchAll(/(?:^|[;\n:] ?)((?:\w+ , )+\w+) = /g);
  const bound = new Set<string>([...several].flatMap(([, names]) => names!.split(" , ")));
  let ends: string | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token === "for") ends = "in";
    else if (token === "lambda") ends = ":";
    else if (token === ends) ends = undefined;
    else if (/^[A-Za-z_]/.test(token)) {
      const next = tokens[index + 1];
      const isTarget = next === "=" || next === ":=" || next === "+=";
      if (ends !== undefined || isTarget || tokens[index - 1] === "as") bound.add(token);
    }
  }
  return bound;
}

/** After `import` there are only modules, one after the other. */
function importsPlainly(tokens: readonly string[]): boolean {
  const statements = tokens.join(" ").split(/ ?[;\n] ?/);
  return statements.every((one) => !/\bimport\b/.test(one) || IMPORTED.test(one.trim()));
}
