import { type ParsedScript, parse } from "unbash";

/** Longer scripts are not read. Claude Code documents the same limit for its own analysis. */
const MAX_SCRIPT_CHARS = 10_000;

/** A tree that can be trusted, or the reason for having none. */
type Parsed = { readonly script: ParsedScript } | { readonly problem: string };

/**
 * Reads a script as bash would. Every guess of the tolerant parser is a problem here. Nested scripts (substitutions) report their own
 * errors; call `errorIn` before walking into one.
 */
export function parseShell(source: string): Parsed {
  if (source.length > MAX_SCRIPT_CHARS) {
    return { problem: `The script is longer than ${MAX_SCRIPT_CHARS} characters.` };
  }
  const control = findControl(source);
  if (control !== undefined) return { problem: `The script contains the control character ${control}.` };
  if (INTO.test(source) && MEMBER.test(source)) return { problem: "A redirection is kept in a member of an array." };
  if (CUT_SHORT.test(source)) return { problem: "A line is continued in the middle of a name or an operator." };
  try {
    const script = parse(source);
    const error = errorIn(script);
    return error === undefined ? { script } : { problem: error };
  } catch (thrown) {
    return { problem: `The script could not be parsed: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** Bash joins continued lines before it looks for names and operators, so `$a\⏎b` is `$ab`. A parser may see it otherwise. */
const CUT_SHORT = /(?:\$\{?[\w!#]*|[&|<>;(){}!$=\d])\\\n/;

/** `{list[x]}>file`: bash evaluates the subscript in any spelling; a parser may see a word there. */
const INTO = /\]\}[<>]/;
const MEMBER = /\{[A-Za-z_]\w*\[/;

/** For a subshell in a subshell bash first tries arithmetic. The text that it reads again then may be code, especially here-documents. */
export const TWO_BRACKETS = "Whether (( begins arithmetic is found out by trying.";

/** The first syntax error of a script, as a sentence. */
export function errorIn(script: ParsedScript): string | undefined {
  const error = script.errors?.[0];
  return error === undefined ? undefined : `Syntax error: ${error.message}.`;
}

/** A node with a position in the source. */
interface Placed {
  readonly pos: number;
  readonly end: number;
}

/**
 * Whether the parser silently dropped source between the parts of a script. Only blanks, separators and comments may be there.
 * Here-document bodies are there too, so scripts with one are not checked.
 */
export function dropsText(source: string, parts: readonly Placed[], from: number, to: number): boolean {
  if (source.includes("<<")) return false;
  let at = from;
  for (const part of parts) {
    if (part.pos > at && !SEPARATORS.test(source.slice(at, part.pos))) return true;
    at = Math.max(at, part.end);
  }
  return at < to && !SEPARATORS.test(source.slice(at, to));
}

const SEPARATORS = /^(?:[ \t\n;&]|\\\n|#[^\n]*(?:\n|$))*$/;

/** Whether the parser dropped a word of a simple command. */
export function dropsWord(source: string, parts: readonly Placed[]): boolean {
  for (let index = 1; index < parts.length; index++) {
    const [before, after] = [parts[index - 1]!, parts[index]!];
    if (after.pos - before.end > 1 && !BLANKS.test(source.slice(before.end, after.pos))) return true;
  }
  return false;
}

const BLANKS = /^(?:[ \t]|\\\n)*$/;

/** Bash drops NUL and keeps CR inside words, and a terminal acts on the others. No command needs any of them. */
function findControl(source: string): string | undefined {
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if ((code < 32 && code !== 9 && code !== 10) || code === 127) {
      return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    }
  }
  return undefined;
}
