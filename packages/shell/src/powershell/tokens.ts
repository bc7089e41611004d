/** A piece of a PowerShell script, as far as a script of plain pipelines needs it. */
export type Token =
  | { readonly kind: "word"; readonly parts: readonly Part[]; readonly text: string }
  /** `{ ... }`: the text between the braces. */
  | { readonly kind: "block"; readonly text: string }
  | { readonly kind: "comma" | "pipe" | "end"; readonly text: string }
  /** A redirection; without `to` it only joins streams or discards one. */
  | { readonly kind: "redirect"; readonly text: string; readonly append?: boolean; readonly to?: true };

/** A part of a word: its text, or a value known only at run time. */
export interface Part {
  readonly text: string;
  /** Outside quotes wildcards, dashes and numbers have a meaning. */
  readonly quoted: boolean;
  readonly unknown?: true;
}

/** Cuts a script into tokens, or says why it is not plain enough. Any text that PowerShell could read in another way is a reason. */
export function tokenize(script: string): readonly Token[] | string {
  // PowerShell treats typographic quotes and dashes, and all sorts of blanks, as the plain ones.
  if (/[^\t\n\x20-\x7e]/.test(script.replace(/[\p{L}\p{N}]/gu, "")))
    return "It contains a character that PowerShell may read as another one.";
  const tokens: Token[] = [];
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at);
    const plain = /^(?:[ \t]+|#[^\n]*)/.exec(rest);
    if (plain !== null) {
      at += plain[0].length;
      continue;
    }
    const found = sign(rest) ?? redirect(rest) ?? block(rest) ?? word(rest);
    if (typeof found === "string") return found;
    tokens.push(found.token);
    at += found.length;
  }
  return tokens;
}

interface Found {
  readonly token: Token;
  readonly length: number;
}

function sign(rest: string): Found | undefined {
  const text = /^(?:&&|\|\||[|;\n,])/.exec(rest)?.[0];
  if (text === undefined) return undefined;
  const kind = text === "|" ? "pipe" : text === "," ? "comma" : "end";
  return { token: { kind, text }, length: text.length };
}

function redirect(rest: string): Found | undefined {
  const harmless = /^(?:[1-6*]>&[12]|[1-6*]?>>?[ \t]*\$null)(?![\w:.$({[`"'-])/i.exec(rest)?.[0];
  if (harmless !== undefined) return { token: { kind: "redirect", text: harmless }, length: harmless.length };
  const opens = /^[1-6*]?(>>?)(?![>&])/.exec(rest);
  if (opens === null) return undefined;
  const append = opens[1] === ">>";
  return { token: { kind: "redirect", text: opens[0], append, to: true }, length: opens[0].length };
}

function block(rest: string): Found | undefined | string {
  if (!rest.startsWith("{")) return undefined;
  const text = /^\{([^{}]*)\}(?=[\s|;)]|$)/.exec(rest);
  return text === null
    ? "A script block is not plain."
    : { token: { kind: "block", text: text[1]!.trim() }, length: text[0].length };
}

const BARE = /^(?:[A-Za-z0-9_.\\/:*?~+=%^!\]-]|\[(?![^\s\]]*\s))+/;

function word(rest: string): Found | string {
  // As an argument it is text; almost everywhere else it is a type.
  if (rest.startsWith("[")) return "A type or a list of characters stands at the beginning.";
  const parts: Part[] = [];
  let at = 0;
  while (at < rest.length) {
    const here = rest.slice(at);
    const single = /^'((?:[^']|'')*)'/.exec(here);
    const double = /^"([^"`]*)"/.exec(here);
    const bare = BARE.exec(here);
    const variable = /^\$(?:\w+|env:\w+)(?![\w:.[({])/i.exec(here);
    if (single !== null) parts.push({ text: single[1]!.replaceAll("''", "'"), quoted: true });
    else if (double !== null) {
      if (/\$[({]/.test(double[1]!)) return "A text runs something.";
      parts.push({ text: double[1]!, quoted: true, ...(double[1]!.includes("$") ? { unknown: true } : {}) });
    } else if (bare !== null) parts.push({ text: bare[0], quoted: false });
    else if (variable !== null) parts.push({ text: variable[0], quoted: false, unknown: true });
    else break;
    at += (single ?? double ?? bare ?? variable)![0].length;
  }
  if (parts.length === 0 || !/^(?:[\s|;,>]|&&|$)/.test(rest.slice(at)))
    return `The part ${JSON.stringify(rest.slice(0, 20))} is not understood.`;
  // A quoted beginning may end the word, even with text directly after it.
  if (parts.length > 1 && parts[0]!.quoted) return "Quoted text has something glued to it.";
  return { token: { kind: "word", parts, text: rest.slice(0, at) }, length: at };
}
