import { normalize } from "@haft/core/tool";

/**
 * The knowledge about a shell word before the script runs.
 *
 * - `text`: exactly one word, one of `texts`.
 * - `number`: one word, an integer, possibly negative.
 * - `name`: names of existing files that match a glob, each beginning with one of `heads`, or the pattern itself when nothing matches;
 *   `single`: exactly one of them; `lines`: one text with any number of them, one a line; `plain`: none that begins with the pattern begins
 *   with a dash; `listed`: the unchanged names of certain folders; `cut`: a word that the shell has already split off; `list`: the members
 *   of an array.
 * - `one`: one word that begins with `head`; the rest is not known. `tame`: a git revision, or a word that begins with one. It has no blank
 *   and no wildcard, is not an option, and as a path does not leave the folder. `dashed`: but it may be an option, like a branch name that
 *   somebody chose. `like`: an example, which differs from the word in its numbers only. `lines`: one text with any number of such words,
 *   one a line. `program`: the file of a program, as `which` prints it, or its folder.
 * - `many`: any number of words. Only the first is known to begin with `head`, or each is known to be `tame`.
 *
 * `perhaps`: or empty, as from a command that failed; without quotes an empty value is not a word.
 */
export type Value =
  | { readonly kind: "text"; readonly texts: readonly string[] }
  | { readonly kind: "number"; readonly perhaps?: true }
  | {
      readonly kind: "name";
      readonly heads: readonly string[];
      readonly rest: string;
      readonly plain?: true;
      readonly single?: true;
      readonly lines?: true;
      readonly listed?: Listed;
      readonly cut?: true;
      readonly list?: true;
    }
  | {
      readonly kind: "one";
      readonly head: string;
      readonly tame?: true;
      readonly dashed?: true;
      readonly perhaps?: true;
      readonly like?: string;
      readonly lines?: true;
      readonly program?: "file" | "folder";
    }
  | { readonly kind: "many"; readonly head: string; readonly tame?: true; readonly dashed?: true };

/** The folders in which names were found, as absolute paths: directly in them, or `deep` anywhere below. */
export interface Listed {
  readonly folders: readonly string[];
  readonly deep?: true;
}

/** More alternatives than this are not followed one by one. */
const MAX_TEXTS = 24;

export const text = (...texts: readonly string[]): Value => ({ kind: "text", texts });
export const NUMBER: Value = { kind: "number" };
/** Words that git prints: hashes, or names that somebody chose. */
export type Revision = Value & { readonly kind: "one"; readonly tame: true };
/** A hash that git prints, or empty if git failed. */
export const MAYBE_HASH: Revision = { kind: "one", head: "", tame: true, perhaps: true };
/** The name of a branch or tag. The author of the repository chose it: `--output=x` is a valid name, and a clone has it, too. */
export const MAYBE_REF: Revision = { ...MAYBE_HASH, dashed: true };
/** The path of a program, or empty. */
export const PROGRAM_PLACE: Value = { kind: "one", head: "/", perhaps: true, program: "file" };
/** The count that a command printed, or empty if it failed. */
export const MAYBE_NUMBER: Value = { kind: "number", perhaps: true };
export const ANY_WORD: Value = { kind: "one", head: "" };
export const ANY_WORDS: Value = { kind: "many", head: "" };

/** The text of a word with only one possible value. */
export function only(value: Value | undefined): string | undefined {
  return value?.kind === "text" && value.texts.length === 1 ? value.texts[0] : undefined;
}

/** Whether the word, or one of the words it expands to, could be read as an option. */
export function mayBeOption(value: Value): boolean {
  switch (value.kind) {
    case "text":
      return value.texts.some((one) => one.length > 1 && one.startsWith("-"));
    case "number":
      return true;
    case "many":
      return !value.tame || value.dashed === true;
    case "name":
      return value.heads.some((head) => (head === "" ? value.plain !== true : isOpen(head)));
    case "one":
      return (!value.tame || value.dashed === true) && isOpen(value.head);
  }
}

/** Whether the word stays exactly one word. */
export const isOneWord = (value: Value): boolean =>
  value.kind !== "many" &&
  (value.kind !== "name" || value.single === true) &&
  ((value.kind !== "number" && value.kind !== "one") || value.perhaps !== true);

/** The same in quotes, where an empty value is also a word. */
export function inQuotes(value: Value): Value {
  if (value.kind !== "number" && value.kind !== "one") return value;
  const { perhaps: _, ...word } = value;
  return word;
}

/** All members of an array whose members are all such names. */
export const manyOf = ({ single: _, ...names }: Value & { readonly kind: "name" }): Value => ({ ...names, list: true });

/** Text before or after several words belongs only to the first or last of them. */
const isList = (value: Value): boolean =>
  value.kind === "name" && !value.single && (value.cut === true || value.list === true);

/**
 * An array, or the words of a loop, if the members are existing names or words that cannot be options. A name that begins with one of the
 * words may be an option. Otherwise nothing is known of it.
 */
export function arrayOf(members: readonly Value[]): Value {
  type Known = Value & { readonly kind: "name" | "text" };
  const isPlain = (one: Value): one is Known =>
    (one.kind === "name" && !one.lines) || (one.kind === "text" && !mayBeOption(one) && !one.texts.includes(""));
  if (members.length === 0) return text("");
  if (!members.every(isPlain)) return ANY_WORD;
  const rests = [...new Set(members.flatMap((one) => (one.kind === "name" ? [one.rest] : [])))];
  // A known name matches `*.ts` if it ends so.
  const end = /^\*[^*?[]*$/.exec(rests[0] ?? "*")?.[0].slice(1);
  const isOfIt = (one: Value): boolean =>
    one.kind === "name" || (end !== undefined && headsOf(one).every((head) => head.endsWith(end)));
  const isAlike = rests.length < 2 && members.every(isOfIt);
  // Any text with one of these beginnings, whatever its end.
  const isOpenEnded = (one: Known): boolean =>
    headsOf(one).every((head) => !/(^|\/)\.[^/]*$/.test(head)) &&
    (one.kind === "text" || /^\*[\w.+@-]*\/?$/.test(one.rest));
  if (!isAlike && !members.every(isOpenEnded)) return ANY_WORD;
  const beginning = (one: Value): readonly string[] =>
    isAlike && one.kind === "text" ? one.texts.map((head) => head.slice(0, head.length - end!.length)) : headsOf(one);
  const heads = [...new Set(members.flatMap(beginning))];
  if (heads.length > MAX_TEXTS) return ANY_WORD;
  const plain = members.some(mayBeOption) ? {} : ({ plain: true } as const);
  const isListed = (one: Known): boolean =>
    one.kind === "name"
      ? one.listed !== undefined && !one.listed.deep
      : one.texts.every((head) => /^[\w./@+-]+$/.test(head));
  const folders = members.flatMap((one) => (one.kind === "name" ? (one.listed?.folders ?? []) : []));
  const listed = members.every(isListed) ? { listed: { folders: [...new Set(folders)] } } : {};
  return { kind: "name", heads, rest: isAlike ? (rests[0] ?? "*") : "*", single: true, ...plain, ...listed };
}

/** Whether a beginning of names is one word that does not lead elsewhere. */
export const isPlainHead = (head: string): boolean => /^[\w./@+-]*$/.test(head) && !/(^|\/)\.\.(\/|$)/.test(head);

/** Names in folders with these names, relative to here. Nothing if the folders may be others. */
export const listedIn = (named: readonly string[], from: readonly string[], deep?: true): Listed | undefined =>
  named.every(isPlainHead)
    ? {
        folders: named
          .flatMap((one) => (one.startsWith("/") ? one : from.map((folder) => `${folder}/${one}`)))
          .map(normalize),
        ...(deep ? { deep } : {}),
      }
    : undefined;

/** The words of such a text after splitting at line breaks. */
export const wordsIn = (revision: Revision): Value => {
  const { lines, perhaps: _, like: __, ...word } = revision;
  return lines ? { ...word, kind: "many" } : revision;
};

/** One word of such a text or list. */
export const oneOf = ({ head, tame, dashed }: Value & { readonly kind: "one" | "many" }): Value => ({
  kind: "one",
  head,
  ...(tame ? { tame } : {}),
  ...(dashed ? { dashed } : {}),
});

/** One line of such a text, or empty. */
export const oneLineOf = ({ lines: _, ...revision }: Revision): Value => ({ ...revision, perhaps: true });

/** Whether it is a text of words that git prints. */
export const isRevision = (value: Value | undefined): value is Revision => value?.kind === "one" && value.tame === true;

/** Whether it is the path of a program. */
export const isProgramPlace = (value: Value): value is Value & { readonly kind: "one" } =>
  value.kind === "one" && value.program !== undefined;

/** A line of such names. A name may contain a line break, and the text after that may begin with anything. */
export const lineOf = ({
  plain: _,
  ...names
}: Value & { readonly kind: "name" }): Value & { readonly kind: "name" } => ({
  ...names,
  heads: [...new Set(["", ...names.heads])],
});

/** More about such a line, if no name contains a line break: each line of a search begins with the searched folder. */
export const wholeOf = (names: Value & { readonly kind: "name" }): Value =>
  names.listed?.deep ? { ...names, heads: names.heads.filter((head) => head !== "") } : names;

/** The expansion of an unquoted word with names, one a line: a blank in a name begins another word. */
export const scattered = (names: Value & { readonly kind: "name" }): Value => {
  const { heads, rest } = lineOf(names);
  return { kind: "name", heads, rest, cut: true };
};

const isOpen = (head: string): boolean => head === "" || head.startsWith("-");

/** No readable script contains this much text: longer values come from variables doubled again and again. */
const MAX_CHARS = 20_000;

const fits = (one: string): boolean => one.length <= MAX_CHARS;

/** Values that grow without end are not followed: only the number of words stays known. */
function bounded(value: Value): Value {
  if (value.kind === "text") return value.texts.every(fits) ? value : ANY_WORD;
  if (value.kind === "name") return fits(value.rest) && value.heads.every(fits) ? value : ANY_WORDS;
  if (value.kind === "number" || (fits(value.head) && (value.kind === "many" || fits(value.like ?? "")))) return value;
  return value.kind === "many" || value.perhaps ? ANY_WORDS : ANY_WORD;
}

/** Two words written together. */
export const concat = (a: Value, b: Value): Value => bounded(together(a, b));

/** Joined with other text, a name is no longer as it was found or split. */
const joined = (value: Value): Value => {
  if (value.kind !== "name") return value;
  const { listed: _, cut: __, ...name } = value;
  return name;
};

function together(left: Value, right: Value): Value {
  if (only(left) === "") return right;
  if (only(right) === "") return left;
  if (isList(left) || isList(right)) return { kind: "many", head: commonHead(headsOf(left)) };
  const [a, b] = [joined(left), joined(right)];
  if (a.kind === "text") return prepend(a.texts, b);
  const like = [a, b].map(exampleOf);
  if (like.every((one) => one !== undefined))
    return {
      kind: "one",
      head: a.kind === "one" ? a.head : "",
      like: like.join(""),
      ...(a.kind === "one" && isTame(a) && isTame(b) ? { tame: true } : {}),
      ...(isOneWord(a) || isOneWord(b) ? {} : { perhaps: true }),
    };
  if (a.kind === "number") return isOneWord(b) ? ANY_WORD : ANY_WORDS;
  if (a.kind === "one" && isTame(a) && isTame(b))
    return { kind: "one", head: a.head, tame: true, ...(a.dashed || (b.kind === "one" && b.dashed) ? DASHED : {}) };
  if (a.kind === "name" && b.kind === "text" && b.texts.length === 1) return { ...a, rest: a.rest + b.texts[0] };
  if (a.kind === "name" && b.kind === "name" && b.heads.length === 1 && !a.lines && !b.lines) {
    const { single, ...open } = a;
    return { ...open, rest: a.rest + b.heads[0] + b.rest, ...(single && b.single ? { single } : {}) };
  }
  return {
    kind: isOneWord(inQuotes(a)) && isOneWord(inQuotes(b)) ? "one" : "many",
    head: a.kind === "name" ? commonHead(a.heads) : a.head,
  };
}

/** A text that differs from the word in its numbers only. */
const exampleOf = (value: Value): string | undefined =>
  value.kind === "number" ? "0" : value.kind === "one" ? value.like : only(value);

const isTame = (value: Value): boolean =>
  value.kind === "text"
    ? value.texts.every((one) => /^(?!.*\/\.\.(\/|$))(?!\.\.\/)[\w.~^][\w.~^/-]*$/.test(one))
    : value.kind === "one" && value.tame === true && !value.lines;

const DASHED = { dashed: true } as const;

function prepend(texts: readonly string[], b: Value): Value {
  const [first = ""] = texts;
  // An empty value after an option has another meaning than a number.
  const mayBeBare = first.startsWith("-") && !isOneWord(b);
  const like = texts.length === 1 && b.kind !== "text" && !mayBeBare ? exampleOf(b) : undefined;
  if (like !== undefined && first !== "")
    return {
      kind: "one",
      head: first,
      like: first + like,
      ...(isTame(text(first)) && isTame(b) ? { tame: true } : {}),
    };
  if (b.kind === "number") return { kind: "one", head: commonHead(texts) };
  if (b.kind === "one" && isTame(b) && texts.length === 1 && isTame({ kind: "text", texts }))
    return { kind: "one", head: texts[0] + b.head, tame: true };
  if (b.kind === "one" || b.kind === "many") {
    return { kind: b.kind, head: texts.length === 1 ? texts[0] + b.head : commonHead(texts) };
  }
  const tails = b.kind === "text" ? b.texts : b.heads;
  const both = texts.flatMap((head) => tails.map((tail) => head + tail));
  if (both.length > MAX_TEXTS) return { kind: b.kind === "text" ? "one" : "many", head: commonHead(both) };
  if (b.kind === "text") return { kind: "text", texts: both };
  // Only the first line begins with the text.
  return { ...b, heads: b.lines ? [...both, ...b.heads] : both };
}

/** The value that covers both of two possible values. */
export function join(a: Value, b: Value): Value {
  if (a === b) return a;
  if (isNumber(a) && isNumber(b) && (a.kind === "number" || b.kind === "number"))
    return [a, b].every(isOneWord) ? NUMBER : MAYBE_NUMBER;
  if (a.kind === "text" && b.kind === "text") {
    const both = [...new Set([...a.texts, ...b.texts])];
    if (both.length <= MAX_TEXTS) return { kind: "text", texts: both };
    return both.every(isInteger) ? NUMBER : { kind: "one", head: commonHead(both) };
  }
  if (sameValue(a, b)) return a;
  const head = commonHead([...headsOf(a), ...headsOf(b)]);
  return { kind: isOneWord(a) && isOneWord(b) ? "one" : "many", head };
}

export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === "text" && b.kind === "text") return sameTexts(a.texts, b.texts);
  if (a.kind === "name" && b.kind === "name")
    return (
      sameTexts(a.heads, b.heads) &&
      a.rest === b.rest &&
      a.single === b.single &&
      a.lines === b.lines &&
      a.plain === b.plain &&
      JSON.stringify(a.listed) === JSON.stringify(b.listed) &&
      a.cut === b.cut &&
      a.list === b.list
    );
  if (a.kind === "one" && b.kind === "one") return sameText(a, b);
  if (a.kind === "many" && b.kind === "many") return a.head === b.head && a.tame === b.tame && a.dashed === b.dashed;
  return a.kind === "number" && b.kind === "number" && a.perhaps === b.perhaps;
}

const sameText = (a: Value & { kind: "one" }, b: Value & { kind: "one" }): boolean =>
  (["head", "tame", "dashed", "perhaps", "like", "lines", "program"] as const).every((key) => a[key] === b[key]);

/** Whether the word is always an integer or empty: only such words may be used in the shell's arithmetic. */
export function isNumber(value: Value): boolean {
  return value.kind === "number" || (value.kind === "text" && value.texts.every(isInteger));
}

const isInteger = (one: string): boolean => /^-?\d{1,18}$/.test(one);

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** The possible beginnings of the word. */
export function headsOf(value: Value): readonly string[] {
  if (value.kind === "text") return value.texts;
  if (value.kind === "name") return value.heads;
  return [value.kind === "number" ? "" : value.head];
}

function commonHead(texts: readonly string[]): string {
  let head = texts[0] ?? "";
  for (const one of texts) while (!one.startsWith(head)) head = head.slice(0, -1);
  return head;
}
