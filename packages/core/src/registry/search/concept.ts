import type { Posting, Postings } from "./postings.ts";
import type { Asked } from "./query.ts";
import type { Ranking } from "./ranking.ts";
import { stem } from "./stem.ts";
import type { Thesaurus } from "./thesaurus.ts";

/** One thing that a query asks for: the word itself, and what else it may be called. */
export interface Concept {
  readonly asked: Asked;
  /** How much the whole counts. */
  readonly importance: number;
  readonly ways: readonly Way[];
}

/** One name of a concept that some document has; `worth` is 1 for the word itself and less for others. */
export interface Way {
  readonly term: string;
  readonly posting: Posting;
  readonly worth: number;
  /** Another word, not another writing of the same. */
  readonly isSynonym: boolean;
}

/** What concepts are read against. */
export interface Lexicon {
  readonly postings: Postings;
  /** Known terms by their first letter. */
  readonly byInitial: ReadonlyMap<string, readonly string[]>;
  readonly thesaurus: Thesaurus;
  readonly ranking: Ranking;
}

/** Two neighbours written as one word: `drop down` finds `dropdown`. */
const JOINED_WORTH = 0.9;

/** Up to so many synonyms a word is as sharp as any. */
const FEW_SYNONYMS = 8;

/** What is meant by the words of a query, as far as any document knows it. */
export function conceptsOf(asked: readonly Asked[], lexicon: Lexicon): Concept[] {
  const said = new Set(asked.filter(({ kind }) => kind === "word").map(({ word }) => stem(word)));
  // Who says two words means two things: neither is the other by another name.
  const apart = (way: Way): Way =>
    way.isSynonym && said.has(way.term) ? { ...way, worth: way.worth * lexicon.ranking.saidApart } : way;
  return asked.flatMap((one, index) => {
    const ways = waysOf(one, asked[index - 1]?.word, asked[index + 1]?.word, lexicon);
    if (ways.length === 0) return [];
    return [{ asked: one, importance: importanceOf(one, ways, lexicon.ranking), ways: ways.map(apart) }];
  });
}

function waysOf(
  { word, kind, isNoun }: Asked,
  before: string | undefined,
  behind: string | undefined,
  lexicon: Lexicon,
): Way[] {
  const { postings, thesaurus, ranking } = lexicon;
  const term = stem(word);
  const isKnown = postings.get(term)?.isTopic ?? false;
  const ways = new Map<string, Way>();
  const add = (found: string, worth: number, isSynonym = false): void => {
    const posting = postings.get(found);
    if (posting && worth > (ways.get(found)?.worth ?? 0)) ways.set(found, { term: found, posting, worth, isSynonym });
  };
  add(term, 1);
  if (before !== undefined) add(stem(`${before}${word}`), JOINED_WORTH);
  if (behind !== undefined) add(stem(`${word}${behind}`), JOINED_WORTH);
  const plain = thesaurus.related(term);
  const others = plain.size > 0 || isKnown ? plain : thesaurus.related(rootOf(term));
  const sharpness = (FEW_SYNONYMS / Math.max(FEW_SYNONYMS, others.size)) ** ranking.vagueness;
  for (const [other, kinship] of others) {
    // What was not said has no shades: one thing that is meant is got, and not listed.
    if (kind === "implied" && kinship === "like" && thesaurus.isDeed(term)) continue;
    const worth = sharpness * (isKnown ? ranking.synonym : ranking.onlySynonym);
    add(other, kinship === "same" && !isNoun ? Math.max(worth, ranking.sameDeed) : worth, true);
  }
  if (!postings.has(term)) for (const guess of guesses(term, lexicon)) add(guess, ranking.guess);
  return [...ways.values()];
}

/** What a word for a doer or a quality is made of: `watcher` of `watch`. */
const rootOf = (term: string): string =>
  term.length > 5 ? stem(term.replace(/(?:er|or|abl|ibl|ness|iv|ful)$/, "")) : term;

/** A word that occurs is as important as it is rare; for another the commonest of its other names speaks. */
function importanceOf({ word, kind }: Asked, ways: readonly Way[], ranking: Ranking): number {
  const own = ways.find(({ term, worth }) => worth === 1 && term === stem(word));
  const rarity = own?.posting.rarity ?? Math.min(...ways.map(({ posting }) => posting.rarity));
  const share = kind === "word" ? 1 : kind === "light" ? ranking.lightVerb : ranking.implied;
  return rarity * share * (own && !own.posting.isTopic ? ranking.incidental : 1);
}

/** Known terms that an unknown one may be made of, short for, or a misspelling of. */
function guesses(term: string, { postings, byInitial }: Lexicon): string[] {
  if (term.length < 4 || term.length > LONGEST_GUESSED) return [];
  for (let cut = 3; cut <= term.length - 3; cut++) {
    const parts = [stem(term.slice(0, cut)), stem(term.slice(cut))];
    if (parts.every((part) => postings.has(part))) return parts;
  }
  return (byInitial.get(term.slice(0, 1)) ?? []).filter((known) => isBeginning(known, term) || isSlip(known, term));
}

/** Characters of an unknown word; what is longer is nobody's misspelling. */
const LONGEST_GUESSED = 32;
/** How much of the longer word the shorter one must be. */
const LIKE_ENOUGH = 0.55;

function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && short.length >= LIKE_ENOUGH * long.length && long.startsWith(short);
}

/** Whether two words of five letters or more differ by one letter that is wrong, missing, too many or out of order. */
function isSlip(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 5 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
