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

/** Reads `select:A,B`, `+word` and free words. Never fails: what is not understood is a word. */
export function parseQuery(query: string): Query {
  const selected = /^\s*select\s*:(.*)$/is.exec(query);
  if (selected) {
    const names = (selected[1] ?? "").split(/[,\s]+/).filter((name) => name !== "");
    return { select: [...new Set(names)], required: [], text: "" };
  }
  const required = [...query.matchAll(/(?:^|\s)\+([^\s+][^\s]*)/g)].map(([, word = ""]) => word);
  return { required, text: query.replaceAll(/(^|\s)\++/g, "$1").trim() };
}

/** The words of a query that are looked for, lower case, in order; phrases have become the word that they stand for. */
export function queryWords(text: string, phrase: (first: string, second: string) => string | undefined): Asked[] {
  const shapes: string[] = [];
  const plain = text.replaceAll(SHAPES, (match, url: string, mail: string, site: string, file: string) => {
    if (url) shapes.push("url", ...schemeOf(match));
    else if (mail) shapes.push("email");
    else if (site) shapes.push("site");
    else if (file) shapes.push("file");
    return " ";
  });
  const words = wordsOf(plain);
  const read: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const meaning = phrase(word, words[index + 1] ?? "");
    if (meaning !== undefined) index++;
    const said = meaning ?? word;
    if (!isStopWord(said) && !/^\d+$/.test(said)) read.push(said);
  }
  const asked = new Map<string, Asked>();
  for (const word of read) asked.set(word, { word, kind: LIGHT_VERBS.has(word) ? "light" : "word" });
  for (const word of [...shapes, ...impliedBy(text)]) if (!asked.has(word)) asked.set(word, { word, kind: "implied" });
  return [...asked.values()];
}

export interface Asked { readonly word: string; readonly kind: "word" | "light" | "implied" }

const LIGHT_VERBS: ReadonlySet<string> = new Set("bring come do get give go have keep know let look make need put see set show take tell try turn work".split(" "));

function impliedBy(text: string): string[] {
  if (/^\s*(?:which|what|who)\b.*\b(?:are|do|does|did|have|exist|there)\b/i.test(text)) return ["list"];
  if (/^\s*(?:what|who|when|where)\b.*\b(?:is|was|says?)\b/i.test(text)) return ["get"];
  return [];
}

/** What a value in a query looks like tells what kind of thing is meant: an address, a mailbox, a site, a file. */
const SHAPES =
  /(\b[a-z][a-z0-9+.-]*:\/\/\S+)|(\b[\w.+-]+@[\w-]+\.\w+)|(\b(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|edu|gov)\b\S*)|((?:[\w-]*[/*])?[\w*-]+\.[a-z]{1,4}\b)/gi;

function schemeOf(url: string): string[] {
  const scheme = url.slice(0, url.indexOf(":")).toLowerCase();
  return scheme === "http" || scheme === "https" ? [] : [scheme];
}
