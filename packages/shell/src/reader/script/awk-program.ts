/** Sets how gawk orders the traversal of an array, to one of its own keywords. gawk does not recognise it with other quotes. */
const SORTED = /\bPROCINFO\["sorted_in"\] *= *"@(ind|val)_(str|num|type)_(asc|desc)"/g;

/**
 * Says why an awk program may do more than print to its output, or nothing. Dangerous words are refused anywhere, even in strings. For `|`
 * and `>` the program is cut into tokens, and refused if awk could cut it otherwise.
 */
export function checkAwkProgram(given: string): string | undefined {
  const program = given.replace(SORTED, "SORTED = 1");
  if (/system|getline|ARGV|@|\/inet|PROCINFO|close|SYMTAB|FUNCTAB|TEXTDOMAIN|textdomain|gettext/.test(program)) {
    return "The awk program uses something that may run, write or read elsewhere.";
  }
  const tokens = tokenize(program);
  if (tokens === undefined) return "The awk program is not understood.";
  let depth = 0;
  let printDepth: number | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token === "|" || token === "|&" || token === ">>") return "The awk program writes or runs something.";
    if (token === "print" || token === "printf") printDepth = depth;
    else if (token === "(" || token === "[") depth++;
    else if (token === ")" || token === "]") depth--;
    // Not at a line break: after a comma the statement continues.
    else if (/^[;{}]$/.test(token)) printDepth = undefined;
    else if (token === ">" && printDepth !== undefined && depth <= printDepth && !isShown(tokens, index))
      return "The awk program writes a file.";
  }
  return undefined;
}

/** Output to these is shown like the rest. With more text after it, it would be another name. */
const isShown = (tokens: readonly string[], index: number): boolean =>
  /^"\/dev\/std(out|err)"$/.test(tokens[index + 1] ?? "") && /^([;}\n]|)$/.test(tokens[index + 2] ?? "");

const TOKEN =
  /[ \t\r]+|\\\n|#[^\n]*|\n|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\[^\n])*"|&&|\|\||\|&|>>|[<>=!]=|\+\+|--|\*\*=?|[-+*/%^]=|[-+*%^$!~<>=?:,;(){}[\]|&.]/y;
const REGEX = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^\]\\\n/]|\\[^\n/])*\])+\//y;
/** After these a slash begins a regular expression. */
const BEFORE_REGEX = /^([-+*%^!~<>=?:,;({}[&|\n]|&&|\|\||[<>=!]=|[-+*/%^]=|print|printf|return|exit|in|else|do|case)$/;
/** After these a slash divides. A name is a variable here: the keywords are above. */
const BEFORE_DIVISION = /^([A-Za-z_]\w*|[\d.].*|"[\s\S]*"|\])$/;

function tokenize(program: string): string[] | undefined {
  const tokens: string[] = [];
  const hasConditions = /\b(if|while|for|switch)\b/.test(program);
  let before = "\n";
  let at = 0;
  while (at < program.length) {
    const isSlash = program[at] === "/";
    const kind = isSlash ? slashAfter(before, hasConditions) : undefined;
    if (isSlash && kind === undefined) return undefined;
    const pattern = kind === "regex" ? REGEX : TOKEN;
    pattern.lastIndex = at;
    const found = kind === "division" ? [program.startsWith("/=", at) ? "/=" : "/"] : pattern.exec(program);
    const token = found?.[0];
    if (token === undefined) return undefined;
    at += token.length;
    if (/^([ \t\r]+|\\\n|#.*)$/.test(token)) continue;
    before = kind === "regex" ? "0" : token;
    tokens.push(kind === "regex" ? "0" : token);
  }
  return tokens;
}

/** After a closing parenthesis it depends on whether that ends a condition, and after `++` on the token before. */
function slashAfter(before: string, hasConditions: boolean): "regex" | "division" | undefined {
  if (BEFORE_REGEX.test(before)) return "regex";
  if (/^(length|delete|next|nextfile|function|func|BEGIN|END)$/.test(before)) return undefined;
  if (before === ")") return hasConditions ? undefined : "division";
  return BEFORE_DIVISION.test(before) ? "division" : undefined;
}
