import { isStopWord, wordsOf } from "./words.ts";

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
 * The words of a query that are looked for, in lower case and in order. Two words that `phrase` knows become the one
 * that they stand for; an address or a file name becomes the kind of thing that it is.
 */
export function askedWords(
  text: string,
  phrase: (first: string, second: string) => string | undefined,
): readonly Asked[] {
  const implied: string[] = [];
  const plain = text
    .replaceAll(PRODUCT, "$1js $1")
    .replaceAll(GIVEN_NAME, "$1")
    .replaceAll(SHAPES, (value, url?: string, mail?: string, site?: string) => {
      if (url) implied.push("url", ...schemeOf(url));
      else implied.push(mail ? "email" : site ? "site" : "file");
      return value.length > 0 ? " " : value;
    });
  if (ASKS_WHICH.test(text)) implied.push(/\b(?:is|was|says?)\b/i.test(text) ? "get" : "list");
  if (ASKS_STATE.test(text)) implied.push("status");
  if (ONE_THING.test(text)) implied.push("get");
  const asked = new Map<string, Asked>();
  for (const word of meanings(wordsOf(plain, "prose"), phrase))
    asked.set(word, { word, kind: LIGHT_VERBS.has(word) ? "light" : "word" });
  for (const word of implied) if (!asked.has(word)) asked.set(word, { word, kind: "implied" });
  return [...asked.values()];
}

/** Questions that things answer to, one or several. How and why are not answered by a list. */
const ASKS_WHICH = /^\s*(?:which|what|is|are)\b/i;

/** What is asked of work that was begun. */
const ASKS_STATE =
  /\b(?:done|ready|finished|completed?|running|succeeded|failed) (?:yet|already|now)\b|\b(?:yet|how far|state of|progress of)\b/i;

/** Words by which one thing is meant and not all of its kind. */
const ONE_THING = /\b(?:one|single|by id|id|number|details? of)\b/i;

/** Verbs that stand before any noun and say little. */
const LIGHT_VERBS: ReadonlySet<string> = new Set(
  "bring come do get give go have keep know let look made make need put see set show take tell try turn work".split(
    " ",
  ),
);

function meanings(words: readonly string[], phrase: (first: string, second: string) => string | undefined): string[] {
  const read: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const meaning = phrase(word, words[index + 1] ?? "");
    if (meaning !== undefined) index++;
    if (meaning !== undefined || !(isStopWord(word) || /^\d+$/.test(word))) read.push(meaning ?? word);
  }
  // A query of nothing but small words is taken at its word.
  return read.length > 0 ? read : [...words];
}

/** `Next.js` is a product and no file. */
const PRODUCT = /\b([A-Z][a-z]{1,30})\.js\b/g;

/** What something is to be called says nothing of the tool. */
const GIVEN_NAME = /(\S\s{1,3})(?:called|named)\s+\S+/g;

/** An address, a mailbox, a site, a file: what a value looks like tells what kind of thing is meant. */
const SHAPES =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+)|(\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+)|(\b(?:[\w-]{1,64}\.){1,8}(?:com|org|net|io|dev|ai|app|edu|gov)\b\S*)|((?:\S{0,200}[/*])?[\w*-]{1,64}\.[a-z]{1,4}\b)/gi;

/** The scheme of an address that is not a web page's: it names the kind of server. */
function schemeOf(url: string): string[] {
  const scheme = url.slice(0, url.indexOf(":")).toLowerCase();
  return scheme === "http" || scheme === "https" ? [] : [scheme];
}
