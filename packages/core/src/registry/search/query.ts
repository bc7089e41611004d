import { isPlural, stem } from "./stem.ts";
import type { Thesaurus } from "./thesaurus.ts";
import { isStopWord, withProducts, wordsOf } from "./words.ts";

/** A query, read. */
export interface Query {
  /** `select:A,B`: exactly these, and nothing is ranked. */
  readonly select?: readonly string[];
  /** Words that a tool must have, as written and without their `+`. */
  readonly required: readonly string[];
  /** The whole without its signs, for ranking. */
  readonly text: string;
}

/** A word of a query. `light` goes with everything (give, make); `implied` was not said, only meant. */
export interface Asked {
  readonly word: string;
  readonly kind: "word" | "light" | "implied";
  /** Whether it names a thing though it may look like an order: the changes, for a search. */
  readonly isNoun: boolean;
}

/** Reads `select:A,B`, `+word` and free words. Never fails: what is not understood is a word. */
export function parseQuery(query: string): Query {
  const selected = /^\s*select\s*:(.*)$/is.exec(query);
  if (selected) {
    const names = (selected[1] ?? "").split(/[,\s]+/).filter((name) => name !== "");
    return { select: [...new Set(names)], required: [], text: "" };
  }
  const required = [...query.matchAll(/(?:^|\s)\++([^\s+]\S*)/g)].map(([, word = ""]) => word);
  return { required, text: query.replaceAll(/(^|\s)\++/g, "$1").trim() };
}

/** Whether a text is a question, which asks to look and not to change. */
export const isQuestion = (text: string): boolean =>
  /^\s*(?:which|what|who|when|where|how|is|are|does|do|did|has|have)\b/i.test(text);

/**
 * The words of a query that are looked for, in lower case and in order. What the thesaurus knows as a phrase becomes
 * what it stands for, and a command is followed by what it does; an address, a file name or a size becomes the kind of
 * thing that it is.
 */
export function askedWords(
  text: string,
  thesaurus: Pick<Thesaurus, "phrase" | "command">,
  isKnown: (stem: string) => boolean,
): readonly Asked[] {
  const implied: string[] = [];
  const plain = withProducts(text)
    .replaceAll(SMALL_PRODUCT, (value, name: string) => (isKnown(stem(`${name}js`)) ? `${name}js ${name}` : value))
    .replaceAll(GIVEN_NAME, "$1")
    .replaceAll(SHAPES, (value, url?: string, mail?: string, site?: string, size?: string) => {
      if (url) implied.push("url", ...schemeOf(url));
      else implied.push(mail ? "email" : site ? "site" : size ? "size" : "file");
      return value.length > 0 ? " " : value;
    });
  if (ASKS_WHICH.test(text)) implied.push(/\b(?:is|was|says?)\b/i.test(text) ? "get" : "list");
  if (ASKS_STATE.test(text)) implied.push("status");
  if (isOfOne(text)) implied.push("get");
  const asked = new Map<string, Asked>();
  for (const { word, isNoun } of meanings(wordsOf(plain, "prose"), thesaurus.phrase, isKnown))
    if (!asked.has(word)) asked.set(word, { word, kind: LIGHT_VERBS.has(word) ? "light" : "word", isNoun });
  // A command says what it does, unless a tool is called like it.
  const commands = [...asked.keys()].filter((word) => !isKnown(stem(word)));
  for (const word of commands.flatMap((command) => thesaurus.command(command) ?? []))
    if (!asked.has(word)) asked.set(word, { word, kind: "word", isNoun: false });
  for (const word of implied) if (!asked.has(word)) asked.set(word, { word, kind: "implied", isNoun: false });
  return [...asked.values()];
}

/** Questions that things answer to, one or several. How, why and whether are not answered by a list. */
const ASKS_WHICH = /^\s*(?:which|what)\b/i;

/** What is asked of work that was begun. */
const ASKS_STATE =
  /\b(?:done|ready|finished|completed?|running|succeeded|failed) (?:yet|already|now)\b|\b(?:done|ready|finished|completed?)\s*\?\s*$|\b(?:yet|how far|state of|progress of)\b/i;

/** Whether one thing is meant and not all of its kind. */
export const isOfOne = (text: string): boolean => ONE_THING.test(text);

const ONE_THING = /\b(?:one|single|by id|id|number|details? of)\b/i;

/** Verbs that stand before any noun and say little. */
const LIGHT_VERBS: ReadonlySet<string> = new Set(
  "bring come do get give go have keep know let look made make need put see set show take tell try turn work".split(
    " ",
  ),
);

/** After these stands a thing. */
const BEFORE_THINGS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those its my your their which some all one for any " +
    "in on of from at inside within by into onto with across between under over"
  ).split(" "),
);

function meanings(words: readonly string[], phrase: Thesaurus["phrase"], isKnown: (stem: string) => boolean) {
  const read: { readonly word: string; readonly isNoun: boolean }[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const isNoun = isPlural(word) || BEFORE_THINGS.has(words[index - 1] ?? "");
    const pair = phrase(word, words[index + 1] ?? "");
    if (pair !== undefined) index++;
    if (pair !== undefined) read.push({ word: pair, isNoun: false });
    // A number is a value of the call, unless tools are called by it.
    else if (!isStopWord(word) && (!/^\d+$/.test(word) || isKnown(word))) read.push({ word, isNoun });
  }
  // A query of nothing but small words is taken at its word.
  return read.length > 0 ? read : words.map((word) => ({ word, isNoun: false }));
}

/** A product in small letters; whether it is one, the tools must tell. */
const SMALL_PRODUCT = /(?<![\w./*-])([a-z]{2,30})\.js\b/g;

/** What something is to be called says nothing of the tool. */
const GIVEN_NAME = /(\S\s{1,3})(?:called|named)\s+\S+/g;

/** An address, a mailbox, a site, a size, a file: what a value looks like tells what kind of thing is meant. */
const SHAPES =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+)|(\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+)|(\b(?:[\w-]{1,64}\.){1,8}(?:com|org|net|io|dev|ai|app|edu|gov)\b\S*)|(\b\d{1,6} ?[x×] ?\d{1,6}\b)|((?:\S{0,200}[/*])?[\w*-]{1,64}\.[a-z]{1,4}\b)/gi;

/** The scheme of an address that is not a web page's: it names the kind of server. */
function schemeOf(url: string): string[] {
  const scheme = url.slice(0, url.indexOf(":")).toLowerCase();
  return scheme === "http" || scheme === "https" ? [] : [scheme];
}
