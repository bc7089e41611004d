import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from "unbash";
import { TWO_BRACKETS } from "../parse.ts";
import type { Scope } from "../scope.ts";
import type { Session } from "../session.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { countWords, expandBraces, MOST_WORDS } from "./brace.ts";
import {
  ANY_WORD,
  ANY_WORDS,
  concat,
  headsOf,
  inQuotes,
  isPlainHead,
  isProgramPlace,
  isRevision,
  join,
  type Listed,
  listedIn,
  MAYBE_NUMBER,
  manyOf,
  mayBeOption,
  NUMBER,
  only,
  scattered,
  text,
  type Value,
  wholeOf,
  wordsIn,
} from "./value.ts";
import { loosen, mayCompute, variable } from "./variable.ts";

/**
 * The words that a word of the script expands to, as far as known before it runs. It walks substitutions, and reports code evaluated from
 * data to the session as unknown.
 */
export function expandWord(word: Word, scope: Scope, session: Session): Value[] {
  const values = wordsOf(word, scope, session);
  if (values.length > 1) session.grow(values.length);
  return values;
}

function wordsOf(word: Word, scope: Scope, session: Session): Value[] {
  const { parts } = word;
  if (parts === undefined) return [plain(word.text, word.value, scope, session)];
  if (parts.length === 1 && parts[0]?.type === "SimpleExpansion") return unquoted(parts[0].text, scope, session);
  if (parts.length === 1 && parts[0]?.type === "DoubleQuoted" && parts[0].text === '"$@"') return allArgs(scope);
  if (countWords(parts) > MOST_WORDS) session.unknown(`Braces give more than ${MOST_WORDS} words.`);
  // Numbers, however many.
  if (/^\{-?\d{1,9}\.\.-?\d{1,9}(\.\.-?\d{1,9})?\}$/.test(word.text)) return [MAYBE_NUMBER];
  if (parts.some((part) => part.type === "BraceExpansion")) {
    const words = expandBraces(parts);
    if (words === undefined) return walkAll(parts, scope, session);
    const values = words
      .map((pieces) => ({
        value: matched(orNone(composed(pieces, word.text, scope, session), pieces), pieces, scope),
        isBare: pieces.every(isLiteral),
      }))
      .filter(({ value, isBare }) => !(isBare && only(value) === ""))
      .map(({ value }) => value);
    // People write options that way only to hide them; `--exclude={a,b}` hides nothing.
    const [first] = parts;
    const isOpen = first?.type === "Literal" && /^--[a-z][a-z-]*=/.test(first.value);
    // `{a,}~` is `a~ ~`, and the second one is a home folder.
    const isHome =
      !word.text.startsWith("~") && values.some((value) => headsOf(value).some((head) => head.startsWith("~")));
    return isHome || (values.some(mayBeOption) && !isOpen) ? [ANY_WORDS] : values;
  }
  const value = composed(parts, word.text, scope, session);
  return [
    parts.every(({ type }) => type === "DoubleQuoted")
      ? inQuotes(value)
      : looked(matched(orNone(value, parts), parts, scope), parts, scope, session),
  ];
}

/** For `*.ts` a look can tell that no name is an option. For a mere `*` the look is not worth it. */
function looked(value: Value, parts: readonly WordPart[], scope: Scope, session: Session): Value {
  if (!parts.every(({ type }) => type === "Literal" || type === "Glob")) return value;
  if (value.kind !== "name" || !value.heads.includes("") || !/\.\w+$/.test(value.rest)) return value;
  return session.knows("plainNames", scope.folders) ? { ...value, plain: true } : value;
}

/** Names that the shell itself matches with a literal pattern. */
function matched(value: Value, parts: readonly WordPart[], scope: Scope): Value {
  if (value.kind !== "name" || !parts.every(isWritten) || !scope.folders) return value;
  const [name = "", ...below] = value.rest.split("/");
  const isOneFolder =
    /^[\w.@+*?-]+$/.test(name) && !name.includes("**") && below.every((one) => /^[\w.@+-]*$/.test(one));
  const listed = isOneFolder
    ? listedIn(
        value.heads.map((head) => head.slice(0, head.lastIndexOf("/") + 1)),
        scope.folders,
      )
    : undefined;
  return listed === undefined || !value.heads.every(isPlainHead) ? value : { ...value, listed };
}

/** Quotes do not matter if nothing in them is special. */
const isWritten = (part: WordPart): boolean =>
  /^(Literal|Glob|SimpleExpansion)$/.test(part.type) ||
  (part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal" || type === "SimpleExpansion"));

/** An empty word of a brace expansion disappears unless it is quoted. */
const isLiteral = ({ type }: WordPart): boolean => type === "Literal";

/** `\x{2e}`, non-characters and lone surrogates: the parser does not read these as bash does. */
const ODD_ESCAPE = /\\x\{|\\U0*[1-9a-f][\da-f]{5}|\\[uU]0*d[89a-f][\da-f]{2}/i;

/** The one string that a word expands to where the shell neither splits nor globs: assignments, `case`, here-strings, `[[`. */
export function expandString(word: Word, scope: Scope, session: Session): Value {
  return word.parts === undefined
    ? plain(word.text, word.value, scope, session)
    : asString(expandOperand(word, scope, session));
}

/** The same where a list stays a list: `"${x:-$@}"` yields as many words as there are arguments. */
function expandOperand(word: Word, scope: Scope, session: Session): Value {
  if (word.parts === undefined) return plain(word.text, word.value, scope, session);
  return composed(word.parts, word.text, scope, session, true);
}

const asString = (value: Value): Value => (value.kind === "many" ? { kind: "one", head: value.head } : value);

/** Text in double quotes or a here-document. */
export function expandQuoted(parts: readonly WordPart[], scope: Scope, session: Session): Value {
  return parts.map((part) => valueOfPart(part, scope, session, true)).reduce(concat, text(""));
}

function plain(source: string, value: string, scope: Scope, session: Session): Value {
  if (source.startsWith("~")) return tilde(source, value, scope, session);
  // The parser splits words with special characters into parts. A special character here was not understood.
  const bare = source.replace(/\\[\s\S]/g, "");
  if (/`|\$[\w({@*#?$!'"[-]|[<>]\(/.test(bare)) session.unknown("A part of a word could not be read.");
  if (/[*?`"'\\]|\$./.test(bare)) return ANY_WORDS;
  return text(value);
}

function tilde(source: string, value: string, scope: Scope, session: Session): Value {
  if (source === "~" || source.startsWith("~/")) return text(session.context.home + value.slice(1));
  const folder = only(scope.folders === undefined ? ANY_WORD : text(...scope.folders));
  if ((source === "~+" || source.startsWith("~+/")) && folder !== undefined) return text(folder + value.slice(2));
  // Another user's home, the directory stack, or the text itself: never an option, and not a known place.
  return { kind: "one", head: "~" };
}

function composed(parts: readonly WordPart[], source: string, scope: Scope, session: Session, quoted = false): Value {
  const first = parts[0];
  let from = 0;
  let value: Value = text("");
  if (first?.type === "Literal" && first.text.startsWith("~") && source.startsWith("~")) {
    const slash = first.text.indexOf("/");
    value = slash < 0 ? { kind: "one", head: "~" } : tilde(first.text, first.value, scope, session);
    from = 1;
  }
  for (let at = from; at < parts.length; at++) value = concat(value, valueOfPart(parts[at]!, scope, session, quoted));
  return value;
}

function valueOfPart(part: WordPart, scope: Scope, session: Session, quoted: boolean): Value {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return text(part.value);
    case "AnsiCQuoted":
      return ODD_ESCAPE.test(part.text) ? ANY_WORD : text(part.value);
    case "DoubleQuoted":
      return expandQuoted(part.parts, scope, session);
    case "LocaleString":
      // A message catalogue chooses the text.
      expandQuoted(part.parts as readonly DoubleQuotedChild[], scope, session);
      return ANY_WORD;
    case "Glob":
      // The parser leaves a set as written; bash expands its content.
      if (/[$`]|[<>]\(/.test(part.text))
        session.unknown("The script builds a character set of a wildcard at run time.");
      if (!quoted) return { kind: "name", heads: [""], rest: part.text };
      return /^[*?]$/.test(part.text) ? text(part.text) : ANY_WORD;
    case "SimpleExpansion":
      return split(variable(part.text.slice(1), scope, session), quoted, session);
    case "ParameterExpansion":
      return split(parameter(part, scope, session), quoted, session);
    case "CommandExpansion":
      if (part.text.startsWith("$((")) session.unknown(TWO_BRACKETS);
      return split(session.printed(part.script, scope), quoted, session);
    case "ArithmeticExpansion":
      session.mayBreak(scope);
      checkArithmetic(part.expression, scope, session, { string: expandQuoted });
      return NUMBER;
    case "ProcessSubstitution": {
      const { lines: _, ...printed } = { lines: undefined, ...session.printed(part.script, scope) };
      session.substituted = printed;
      return text("/dev/fd/63");
    }
    case "BraceExpansion":
      // If bash does not expand braces, it still expands the text between them.
      walkAll(part.parts ?? [], scope, session);
      return ANY_WORDS;
    default:
      session.unknown(`The script uses ${part.type}, which is not understood.`);
      return ANY_WORDS;
  }
}

/** `$x` alone and without quotes: a known text is split at its blanks. */
function unquoted(source: string, scope: Scope, session: Session): Value[] {
  if (source === "$@" || source === "$*")
    return allArgs(scope).map((value) => nothingIsNone(split(value, false, session)));
  const value = variable(source.slice(1), scope, session);
  const known = only(value);
  const glob = /^([^\s*?[\]{}~\\]*)([*?[][^\s{}~\\]*)$/.exec(known ?? "");
  if (glob !== null) return [{ kind: "name", heads: [glob[1]!], rest: glob[2]! }];
  if (known === undefined || /[*?[\]{}~\\]/.test(known)) return [nothingIsNone(split(value, false, session))];
  return known
    .split(/[ \t\n]+/)
    .filter((word) => word !== "")
    .map((word) => text(word));
}

const allArgs = (scope: Scope): Value[] => (scope.args === undefined ? [ANY_WORDS] : [...scope.args]);

/** Outside quotes, a value with blanks or wildcards expands to other words. */
function split(value: Value, quoted: boolean, session: Session): Value {
  if (quoted || value.kind === "number") return value;
  if (value.kind === "name" && value.cut) return manyOf(value);
  if (value.kind === "name" && value.lines) return scattered(value);
  if (value.kind === "name" && value.listed && areWhole(value.listed, session)) return wholeOf(value);
  if (isRevision(value)) return value.lines ? wordsIn(value) : value;
  if (isProgramPlace(value)) return value;
  if (value.kind === "text" && value.texts.every((one) => /^[^\s*?[\]{}~\\]*$/.test(one))) return value;
  return ANY_WORDS;
}

const areWhole = ({ folders, deep }: Listed, session: Session): boolean =>
  session.knows(deep ? "wholeTree" : "wholeNames", folders);

/** An unquoted expansion that is empty is not a word. */
const nothingIsNone = (value: Value): Value => (value.kind === "text" && value.texts.includes("") ? ANY_WORDS : value);

const orNone = (value: Value, parts: readonly WordPart[]): Value =>
  parts.some(({ type }) => /Expansion$/.test(type)) ? nothingIsNone(value) : value;

function walkAll(parts: readonly WordPart[], scope: Scope, session: Session): Value[] {
  for (const part of parts) {
    if (part.type === "BraceExpansion") walkAll(part.parts ?? [], scope, session);
    else valueOfPart(part, scope, session, false);
  }
  return [ANY_WORDS];
}

function parameter(part: ParameterExpansionPart, scope: Scope, session: Session): Value {
  const value = parameterValue(part, scope, session);
  const isList = part.parameter === "@" || part.parameter === "*" || /^[@*]$/.test(part.index?.text ?? "");
  if (isList && part.index !== undefined && part.prefix === undefined && part.operation === undefined) {
    const members = variable(part.parameter, scope, session);
    if (members.kind === "name" && !members.lines) return manyOf(members);
  }
  // A length is one word. Anything else about a list, and a list of names, yields one word per member.
  return (isList && part.prefix !== "#") || part.operation?.type === "Names" ? ANY_WORDS : value;
}

function parameterValue(part: ParameterExpansionPart, scope: Scope, session: Session): Value {
  const { parameter: name, operation, index } = part;
  if (index !== undefined && !/^[@*]$/.test(index.text)) checkIndex(index, scope, session);
  if (part.prefix === "#") return NUMBER;
  if (part.prefix === "!" && operation?.type !== "Names" && index === undefined) {
    session.unknown("An indirect expansion evaluates what a variable holds.");
    return ANY_WORD;
  }
  const value = index === undefined && part.prefix === undefined ? variable(name, scope, session) : ANY_WORD;
  if (operandsOf(operation).some(quotesCode)) session.unknown("Quotes in an expansion may be none.");
  switch (operation?.type) {
    case undefined:
      return value;
    case "Default": {
      const other = expandOperand(operation.operand, scope, session);
      if (operation.operator.includes("=")) {
        session.mayBreak(scope);
        loosen(name, asString(other), session);
      }
      if (operation.operator.includes("?")) return value;
      return operation.operator.includes("+") ? join(text(""), other) : join(value, other);
    }
    case "Remove":
    case "CaseModification":
      if (operation.operand !== undefined) expandString(operation.operand, scope, session);
      return ANY_WORD;
    case "Replace":
      expandString(operation.pattern, scope, session);
      expandString(operation.replacement, scope, session);
      return ANY_WORD;
    case "Slice":
      checkIndex(operation.offset, scope, session);
      if (operation.length !== undefined) checkIndex(operation.length, scope, session);
      return ANY_WORD;
    case "Names":
      return ANY_WORD;
    case "Transform":
      if (!/^[QEUuLaAKk]$/.test(operation.operand.text)) session.unknown("An expansion evaluates text as a prompt.");
      return ANY_WORD;
    default:
      session.unknown("The script uses an expansion that is not understood.");
      return ANY_WORD;
  }
}

const operandsOf = (operation: ParameterExpansionPart["operation"]): readonly Word[] =>
  Object.values(operation ?? {}).filter((one): one is Word => typeof one === "object" && "text" in one);

/** In here-documents and double quotes a single quote may be a plain character, and the text that it seems to quote is expanded. */
const quotesCode = ({ parts = [] }: Word): boolean =>
  parts.some(
    (part) =>
      (part.type === "SingleQuoted" || part.type === "AnsiCQuoted") && /[$`]./.test(part.text.replace(/^\$?'/, "")),
  );

/** Subscripts and offsets are arithmetic, and arithmetic runs substitutions that it finds in data. */
function checkIndex(word: Word, scope: Scope, session: Session): void {
  const source = word.text.trim();
  // `08` is not a number.
  if (!/^(0|[1-9]\d*)$/.test(source)) session.mayBreak(scope);
  if (/^-?\d+$/.test(source)) return;
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(source)?.[1];
  if (name !== undefined && mayCompute(name, scope, session)) return;
  expandString(word, scope, session);
  session.unknown("A subscript or offset is computed from data.");
}
