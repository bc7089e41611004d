/**
 * Reads a sed script and says why it may do more than print, or nothing. Known: addresses, blocks, labels, and the commands
 * that only edit the pattern space or print. Not known, so refused: `e` `w` `W` `r` `R` and the flags `e` and `w` of `s`.
 */
export function checkSedScript(script: string): string | undefined {
  let at = 0;
  let depth = 0;
  while (at < script.length) {
    at = skip(script, at, /[\s;]/y);
    if (at >= script.length) break;
    const afterAddress = addresses(script, at);
    if (afterAddress === undefined) return "An address of the sed script is not understood.";
    at = skip(script, afterAddress, /[\s!]/y);
    const command = script[at];
    if (command === undefined) return "The sed script ends in the middle of a command.";
    at++;
    if (command === "{") depth++;
    else if (command === "}") depth--;
    else if (command === "#") at = lineEnd(script, at);
    else if (PLAIN.has(command)) at = plainEnd(script, at);
    else if (command === "a" || command === "i" || command === "c") at = textEnd(script, at);
    else if (command === ":" || LABEL.has(command)) at = labelEnd(script, at);
    else if (command === "s" || command === "y") {
      const end = substitution(script, at, command);
      if (end === undefined) return "A substitution of the sed script may write or run something.";
      at = end;
    } else return `The sed command ${command} may write or run something.`;
    if (at < 0) return `The sed command ${command} is not understood.`;
  }
  return depth === 0 ? undefined : "The blocks of the sed script do not match.";
}

/** Commands without argument, or (`q`, `Q`, `l`) with a number. */
const PLAIN = new Set("=dDgGhHnNpPxzFqQl");
const LABEL = new Set("btT");
const SUBSTITUTION_FLAGS = /[gpiImM\d]*/y;

function skip(script: string, at: number, what: RegExp): number {
  let end = at;
  for (; end < script.length; end++) {
    what.lastIndex = end;
    if (!what.test(script)) break;
  }
  return end;
}

function match(script: string, at: number, what: RegExp): number {
  what.lastIndex = at;
  return what.test(script) ? what.lastIndex : -1;
}

/** `5`, `$`, `/re/I`, `\cREc`, `first~step`, and a second one after a comma. Returns the position of their end. */
function addresses(script: string, start: number): number | undefined {
  const first = address(script, start);
  if (first === undefined || first === start) return first;
  const comma = match(script, first, / *, */y);
  if (comma < 0) return first;
  const relative = match(script, comma, /[+~]\d+/y);
  if (relative > 0) return relative;
  const second = address(script, comma);
  return second === comma ? undefined : second;
}

function address(script: string, at: number): number | undefined {
  const number = match(script, at, /\d+(~\d+)?|\$/y);
  if (number > 0) return number;
  const isCustom = script[at] === "\\";
  if (!isCustom && script[at] !== "/") return at;
  const delimiter = script[isCustom ? at + 1 : at];
  const end = delimiter === undefined ? undefined : delimited(script, at + (isCustom ? 2 : 1), delimiter);
  return end === undefined ? undefined : match(script, end, /[IM]*/y);
}

/**
 * The position after the next unescaped delimiter. A bracket expression may hide one: sed and we could disagree, so it is refused. A line
 * end is refused, too: after a part that ends in a backslash the text of `a` would end there, and a command would begin.
 */
function delimited(script: string, start: number, delimiter: string): number | undefined {
  if (/[\n\\]/.test(delimiter)) return undefined;
  let inBracket = false;
  for (let at = start; at < script.length; at++) {
    const char = script[at]!;
    if (char === "\\") at++;
    else if (char === "\n") return undefined;
    else if (char === delimiter) return inBracket ? undefined : at + 1;
    else if (char === "[" && !inBracket) {
      inBracket = true;
      at = match(script, at + 1, /\^?\]?/y) - 1;
    } else if (char === "]") inBracket = false;
  }
  return undefined;
}

/** `s/a/b/flags` or `y/abc/xyz/`. Returns the position of its end, or nothing if a flag is not harmless. */
function substitution(script: string, start: number, command: string): number | undefined {
  const delimiter = script[start];
  if (delimiter === undefined) return undefined;
  const middle = delimited(script, start + 1, delimiter);
  const end = middle === undefined ? undefined : replacement(script, middle, delimiter);
  if (end === undefined) return undefined;
  const done = plainEnd(script, command === "s" ? match(script, end, SUBSTITUTION_FLAGS) : end);
  return done < 0 ? undefined : done;
}

function replacement(script: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < script.length; at++) {
    if (script[at] === "\\") at++;
    else if (script[at] === "\n") return undefined;
    else if (script[at] === delimiter) return at + 1;
  }
  return undefined;
}

/** A command must be followed by `;`, a line break, a brace, a comment or the end. */
function plainEnd(script: string, start: number): number {
  const at = match(script, start, /[ \t]*\d*[ \t]*/y);
  return at >= script.length || /[;\n}#]/.test(script[at]!) ? at : -1;
}

const lineEnd = (script: string, at: number): number => {
  const end = script.indexOf("\n", at);
  return end < 0 ? script.length : end;
};

/** The text of `a`, `i`, `c` extends to the end of the line, and further if a backslash precedes the line break. */
function textEnd(script: string, start: number): number {
  let at = start;
  while (at < script.length && script[at] !== "\n") at += script[at] === "\\" ? 2 : 1;
  return Math.min(at, script.length);
}

/** A label extends to the line's end. GNU sed stops at `;`, others do not, so only plain names pass. */
function labelEnd(script: string, start: number): number {
  const at = match(script, start, /[ \t]*[\w.-]*[ \t]*/y);
  return at >= script.length || /[;\n}]/.test(script[at]!) ? at : -1;
}
