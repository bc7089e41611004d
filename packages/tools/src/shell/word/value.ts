/**
 * What is known of a shell word before the script runs.
 *
 * - `text`: exactly one word, one of `texts`.
 * - `number`: one word, an integer, possibly negative.
 * - `name`: names of existing files that match a glob, each beginning with one of `heads`, or the pattern itself when nothing matches;
 *   `single`: exactly one of them.
 * - `one`: one word that begins with `head`; the rest is not known.
 * - `many`: any number of words; only of the first is it known that it begins with `head`.
 */
export type Value =
  | { readonly kind: "text"; readonly texts: readonly string[] }
  | { readonly kind: "number" }
  | { readonly kind: "name"; readonly heads: readonly string[]; readonly rest: string; readonly single?: true }
  | { readonly kind: "one"; readonly head: string }
  | { readonly kind: "many"; readonly head: string };

/** More alternatives than this are not followed one by one. */
const MAX_TEXTS = 24;

export const text = (...texts: readonly string[]): Value => ({ kind: "text", texts });
export const NUMBER: Value = { kind: "number" };
export const ANY_WORD: Value = { kind: "one", head: "" };
export const ANY_WORDS: Value = { kind: "many", head: "" };

/** The text of a word that can be only one. */
export function only(value: Value | undefined): string | undefined {
  return value?.kind === "text" && value.texts.length === 1 ? value.texts[0] : undefined;
}

/** Whether the word, or one of the words it becomes, could be taken for an option. */
export function mayBeOption(value: Value): boolean {
  switch (value.kind) {
    case "text":
      return value.texts.some((one) => one.length > 1 && one.startsWith("-"));
    case "number":
    case "many":
      return true;
    case "name":
      return value.heads.some(isOpen);
    case "one":
      return isOpen(value.head);
  }
}

/** Whether the word stays exactly one word. */
export const isOneWord = (value: Value): boolean =>
  value.kind !== "many" && (value.kind !== "name" || value.single === true);

const isOpen = (head: string): boolean => head === "" || head.startsWith("-");

/** Two words written together. */
export function concat(a: Value, b: Value): Value {
  if (only(a) === "") return b;
  if (only(b) === "") return a;
  if (a.kind === "text") return prepend(a.texts, b);
  if (a.kind === "number") return isOneWord(b) ? ANY_WORD : ANY_WORDS;
  if (a.kind === "name" && b.kind === "text" && b.texts.length === 1) return { ...a, rest: a.rest + b.texts[0] };
  if (a.kind === "name" && b.kind === "name" && b.heads.length === 1) {
    const { single, ...open } = a;
    return { ...open, rest: a.rest + b.heads[0] + b.rest, ...(single && b.single ? { single } : {}) };
  }
  return {
    kind: isOneWord(a) && isOneWord(b) ? "one" : "many",
    head: a.kind === "name" ? commonHead(a.heads) : a.head,
  };
}

function prepend(texts: readonly string[], b: Value): Value {
  if (b.kind === "number") return { kind: "one", head: commonHead(texts) };
  if (b.kind === "one" || b.kind === "many") {
    return { kind: b.kind, head: texts.length === 1 ? texts[0] + b.head : commonHead(texts) };
  }
  const tails = b.kind === "text" ? b.texts : b.heads;
  const both = texts.flatMap((head) => tails.map((tail) => head + tail));
  if (both.length > MAX_TEXTS) return { kind: b.kind === "text" ? "one" : "many", head: commonHead(both) };
  return b.kind === "text" ? { kind: "text", texts: both } : { ...b, heads: both };
}

/** What is known when either of two values may be the case. */
export function join(a: Value, b: Value): Value {
  if (a === b) return a;
  if (isNumber(a) && isNumber(b) && (a.kind === "number" || b.kind === "number")) return NUMBER;
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
    return sameTexts(a.heads, b.heads) && a.rest === b.rest && a.single === b.single;
  if ((a.kind === "one" && b.kind === "one") || (a.kind === "many" && b.kind === "many")) return a.head === b.head;
  return a.kind === "number" && b.kind === "number";
}

/** Whether the word is an integer whatever happens: only such words may meet the shell's arithmetic. */
export function isNumber(value: Value): boolean {
  return value.kind === "number" || (value.kind === "text" && value.texts.every(isInteger));
}

const isInteger = (one: string): boolean => /^-?\d{1,18}$/.test(one);

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** What the word begins with: one of these. */
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
