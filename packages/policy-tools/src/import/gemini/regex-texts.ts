/**
 * Regular expressions that are only a choice of texts, converted to those texts. Policies of peers contain few others, and
 * the others are not guessed at.
 */

/** No person writes a policy with more choices than this. */
const MOST_TEXTS = 64;

/**
 * The prefixes of all texts that an expression matches, if it has only literals, choices and blanks, perhaps with `.*`,
 * `\b` or `$` at its end. `undefined` for any other expression.
 */
export function regexTexts(source: string): readonly string[] | undefined {
  const body = source.replace(/^\^/, "").replace(/(?:\.\*\$?|\\b|\$|\(\?:\[\\s"\]\|\\\\"\))$/, "");
  const reader = { at: 0, text: body };
  const starts = choice(reader);
  return !starts || reader.at < body.length || starts.some((start) => start.trim() === "") ? undefined : starts;
}

interface Reader {
  at: number;
  readonly text: string;
}

function choice(reader: Reader): string[] | undefined {
  const all: string[] = [];
  for (;;) {
    const texts = sequence(reader);
    if (!texts || all.length + texts.length > MOST_TEXTS) return undefined;
    all.push(...texts);
    if (reader.text[reader.at] !== "|") return all;
    reader.at++;
  }
}

function sequence(reader: Reader): string[] | undefined {
  let texts = [""];
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at]!;
    if (character === "|" || character === ")") break;
    const part = piece(reader);
    if (!part || texts.length * part.length > MOST_TEXTS) return undefined;
    if (/^[*+?{]$/.test(reader.text[reader.at] ?? "")) return undefined;
    texts = texts.flatMap((text) => part.map((next) => text + next));
  }
  return texts;
}

function piece(reader: Reader): string[] | undefined {
  const { text } = reader;
  const blank = /^\\s[+*]?/.exec(text.slice(reader.at));
  // Any amount of white space: commands are compared with single blanks between words.
  if (blank) {
    reader.at += blank[0].length;
    return blank[0] === "\\s*" ? undefined : [" "];
  }
  const character = text[reader.at++]!;
  if (character === "(") return group(reader);
  if (character === "\\") {
    const next = text[reader.at++];
    return next === undefined || /[A-Za-z0-9]/.test(next) ? undefined : [next];
  }
  return /[.[\]{}*+?^$]/.test(character) ? undefined : [character];
}

function group(reader: Reader): string[] | undefined {
  if (reader.text.startsWith("?:", reader.at)) reader.at += 2;
  else if (reader.text[reader.at] === "?") return undefined;
  const texts = choice(reader);
  if (reader.text[reader.at] !== ")") return undefined;
  reader.at++;
  return texts;
}
