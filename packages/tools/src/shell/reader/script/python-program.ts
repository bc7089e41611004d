/** What a short program in Python looks at. */
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
/** Not `format`, `path` or `modules`: everything else that Python holds can be reached through them. */
const ATTRIBUTES = words(
  "load loads dump dumps reader DictReader b64decode b64encode encode decode pi sqrt floor ceil log2 log10 stdin stderr stdout argv exit version version_info executable platform maxsize prefix " +
    "get keys values items strip lstrip rstrip split rsplit splitlines join lower upper title startswith endswith replace " +
    "count index find append add extend update setdefault pop sort read readline readlines isdigit " +
    "findall finditer search match fullmatch group groups sub",
);
const IMPORTED = RegExp(`^import ${ANY_MODULE}( , ${ANY_MODULE})*$`);
/** Functions that are there without being made: a program that gives one of these names to a value may call it before. */
const BUILT_IN = words(
  "open exec eval compile input getattr setattr delattr hasattr vars globals locals dir help breakpoint type object super " +
    "classmethod staticmethod property memoryview id hash callable copyright credits license exit quit aiter anext",
);

/**
 * Strings without three quotes, then names, numbers, line breaks and signs. No letter beyond ASCII: Python takes some for others. No
 * name before a quote: newer versions know more of them that have the values in a string computed.
 */
const TOKEN =
  /(?<string>([rRbBuUfF]{0,2})(?:'(?:[^'\\\n]|\\.)*'(?!')|"(?:[^"\\\n]|\\.)*"(?!")))|(?<name>[A-Za-z_]\w*(?![\w'"]))|(?<number>\d[\d_]*(?:\.\d+)?)|(?<end>[;\n])|(?<sign>==|!=|<=|>=|:=|\+=|[-()[\]{},:.+*/%<>=|&])|[ \t]+/y;
const OPENED =
  /^open\((?:'([^'\\{}]+)'|"([^"\\{}]+)")(?:, ?(?:mode ?= ?)?(['"])rb?\3)?(?:, ?(?:encoding|errors) ?= ?(?:'[\w-]+'|"[\w-]+"))*\)/;
const FORMATTED = /^[rR]?[fF]/;
const VALUE = /\{([^{}\\#]+)\}/g;
/** How a value is shown stands behind it. */
const SHOWN_AS = /(![rsa])?(:[-+<>=^ ,.\w%#]*)?$/;

/**
 * What a program does that does no more than show data: it may call a few functions that only compute, and open files by a name
 * that stands in it, for reading. It is judged word by word: whatever the sentence, with these words alone nothing can be
 * changed, run or fetched. Anything else gives nothing.
 */
export function looksOfPython(program: string): PythonLook | undefined {
  const opens: string[] = [];
  const tokens = tokensOf(program, opens);
  if (tokens === undefined) return undefined;
  const bound = boundIn(tokens);
  const isKnown = (token: string, index: number): boolean => {
    // In brackets a name may stand on the line below its dot.
    if (!/^[A-Za-z_]/.test(token)) return token !== "." || !/^[;\n]$/.test(tokens[index + 1] ?? "");
    if (tokens[index - 1] === ".") {
      if (token === "parse") return takesOne(tokens, index);
      return ATTRIBUTES.has(token) || isPrintedPath(tokens, index);
    }
    if (KEYWORDS.has(token)) return true;
    // What these mean may not change on the way.
    if (MODULES.has(token) || FUNCTIONS.has(token)) return !bound.has(token);
    return bound.has(token) && !BUILT_IN.has(token) && !token.startsWith("__");
  };
  return tokens.every(isKnown) && importsPlainly(tokens) ? { opens } : undefined;
}

/**
 * `print(sys.path)`: elsewhere the list might be changed, by which Python finds what it imports. Of a name that is called wherever it
 * stands the meaning is never changed: there are more ways to do that than `boundIn` knows.
 */
const isPrintedPath = (tokens: readonly string[], index: number): boolean =>
  tokens.slice(index - 4, index + 2).join(" ") === "print ( sys . path )" &&
  tokens.every((token, at) => token !== "print" || tokens[at + 1] === "(");

/** `ast.parse(text)`: the second argument is the name of a file, of which Python shows a line where the text has an error. */
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

/** Its tokens; each string and each opening of a file is a `0`. What is formatted in a string is taken apart, too. */
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

/** The values that stand in a formatted string. Where two braces meet, versions differ in what they mean. */
function formattedIn(string: string): readonly string[] | undefined {
  const parts = [...string.matchAll(VALUE)].map(([, part]) => part!.replace(SHOWN_AS, ""));
  return /[{}]/.test(string.replace(VALUE, " ")) ? undefined : parts;
}

/** Names to which the program gives a value. */
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

/** Behind `import` stand modules, one after the other, and nothing else. */
function importsPlainly(tokens: readonly string[]): boolean {
  const statements = tokens.join(" ").split(/ ?[;\n] ?/);
  return statements.every((one) => !/\bimport\b/.test(one) || IMPORTED.test(one.trim()));
}
