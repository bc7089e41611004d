import { isPlural, stem } from "./stem.ts";
import type { Thesaurus } from "./thesaurus.ts";
import { isStopWord, withProducts, wordsOf } from "./words.ts";

/** A parsed query. */
export interface Query {
  /** `select:A,B`: exactly these tools, without ranking. */
  readonly select?: readonly string[];
  /** Words that a tool must have, as written and without their `+`. */
  readonly required: readonly string[];
  /** The whole query without its operators, for ranking. */
  readonly text: string;
}

/** A word of a query. `light` fits any action (give, make); `implied` is not in the query, only meant. */
export interface Asked {
  readonly word: string;
  readonly kind: "word" | "light" | "implied";
  /** Whether it is a noun though it looks like a verb: "the changes", for a search. */
  readonly isNoun: boolean;
}

/** Parses `select:A,B`, `+word` and free words. Never fails: unknown syntax is a word. */
export function parseQuery(query: string): Query {
  const selected = /^\s*select\s*:(.*)$/is.exec(query);
  if (selected) {
    const names = (selected[1] ?? "").split(/[,\s]+/).filter((name) => name !== "");
    return { select: [...new Set(names)], required: [], text: "" };
  }
  const required = [...query.matchAll(/(?:^|\s)\++([^\s+]\S*)/g)].map(([, word = ""]) => word);
  return { required, text: query.replaceAll(/(^|\s)\++/g, "$1").trim() };
}

/** Whether a text is a question, which wants to look and not to change. */
export const isQuestion = (text: string): boolean =>
  /^\s*(?:which|what|who|when|where|how|is|are|does|do|did|has|have)\b/i.test(text);

/**
 * The search words of a query, in lower case and in order. A phrase of the thesaurus becomes its meaning, and a command
 * is followed by words for its action. An address, a file name or a size becomes the kind of thing that it is.
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
  // A command stands for its action, unless a tool has its name.
  const commands = [...asked.keys()].filter((word) => !isKnown(stem(word)));
  for (const word of commands.flatMap((command) => thesaurus.command(command) ?? []))
    if (!asked.has(word)) asked.set(word, { word, kind: "word", isNoun: false });
  for (const word of implied) if (!asked.has(word)) asked.set(word, { word, kind: "implied", isNoun: false });
  return [...asked.values()];
}

/** Questions that one or several things answer. A list does not answer how, why and whether. */
const ASKS_WHICH = /^\s*(?:which|what)\b/i;

/** Questions about work in progress. */
const ASKS_STATE =
  /\b(?:done|ready|finished|completed?|running|succeeded|failed) (?:yet|already|now)\b|\b(?:done|ready|finished|completed?)\s*\?\s*$|\b(?:yet|how far|state of|progress of)\b/i;

/** Whether one thing is meant and not all of its kind. */
export const isOfOne = (text: string): boolean => ONE_THING.test(text);

const ONE_THING = /\b(?:one|single|by id|id|number|details? of)\b/i;

/** Verbs that fit any noun and say little. */
const LIGHT_VERBS: ReadonlySet<string> = new Set(
  "bring come do get give go have keep know let look made make need put see set show take tell try turn work".split(
    " ",
  ),
);

/** A noun follows after these. */
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
    // A number is a value of the call, unless tool names contain it.
    else if (!isStopWord(word) && (!/^\d+$/.test(word) || isKnown(word))) read.push({ word, isNoun });
  }
  // A query of only stop words keeps them.
  return read.length > 0 ? read : words.map((word) => ({ word, isNoun: false }));
}

/** A product in lower case; the tools' texts show whether it is one. */
const SMALL_PRODUCT = /(?<![\w./*-])([a-z]{2,30})\.js\b/g;

/** The name for a new thing does not describe the tool. */
const GIVEN_NAME = /(\S\s{1,3})(?:called|named)\s+\S+/g;

/** An address, a mailbox, a site, a size, a file: the form of a value shows which kind of thing is meant. */
const SHAPES =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+)|(\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+)|(\b(?:[\w-]{1,64}\.){1,8}(?:com|org|net|io|dev|ai|app|edu|gov)\b\S*)|(\b\d{1,6} ?[x×] ?\d{1,6}\b)|((?:\S{0,200}[/*])?[\w*-]{1,64}\.[a-z]{1,4}\b)/gi;

/** The scheme of an address that is not a web page's: it names the kind of server. */
function schemeOf(url: string): string[] {
  const scheme = url.slice(0, url.indexOf(":")).toLowerCase();
  return scheme === "http" || scheme === "https" ? [] : [scheme];
}
