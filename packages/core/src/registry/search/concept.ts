import type { Posting, Postings } from "./postings.ts";
import type { Asked } from "./query.ts";
import type { Ranking } from "./ranking.ts";
import { stem } from "./stem.ts";
import type { Thesaurus } from "./thesaurus.ts";

/** One thing that a query asks for: the word itself, and its other names. */
export interface Concept {
  readonly asked: Asked;
  /** The weight of the whole concept. */
  readonly importance: number;
  readonly ways: readonly Way[];
}

/** One name of a concept that some document contains; `worth` is 1 for the word itself and less for others. */
export interface Way {
  readonly term: string;
  readonly posting: Posting;
  readonly worth: number;
  /** Another word, not a spelling variant of the same one. */
  readonly isSynonym: boolean;
}

/** The data that concepts are looked up in. */
export interface Lexicon {
  readonly postings: Postings;
  /** Known terms by their first letter. */
  readonly byInitial: ReadonlyMap<string, readonly string[]>;
  readonly thesaurus: Thesaurus;
  readonly ranking: Ranking;
}

/** Two neighbours written as one word: `drop down` finds `dropdown`. */
const JOINED_WORTH = 0.9;

/** Up to this number of synonyms, a word keeps its full weight. */
const FEW_SYNONYMS = 8;

/** The meanings of a query's words, as far as any document contains them. */
export function conceptsOf(asked: readonly Asked[], lexicon: Lexicon): Concept[] {
  const said = new Set(asked.filter(({ kind }) => kind === "word").map(({ word }) => stem(word)));
  // Two words in a query mean two things: neither is a synonym of the other.
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
    // An implied verb has no near-synonyms: it means to get one thing, not to list it.
    if (kind === "implied" && kinship === "like" && thesaurus.isDeed(term)) continue;
    const worth = sharpness * (isKnown ? ranking.synonym : ranking.onlySynonym);
    add(other, kinship === "same" && !isNoun ? Math.max(worth, ranking.sameDeed) : worth, true);
  }
  if (!postings.has(term)) for (const guess of guesses(term, lexicon)) add(guess, ranking.guess);
  return [...ways.values()];
}

/** The root of a word for a doer or a quality: `watch` for `watcher`. */
const rootOf = (term: string): string =>
  term.length > 5 ? stem(term.replace(/(?:er|or|abl|ibl|ness|iv|ful)$/, "")) : term;

/** A word that occurs is as important as it is rare; any other word takes the importance of its most common synonym. */
function importanceOf({ word, kind }: Asked, ways: readonly Way[], ranking: Ranking): number {
  const own = ways.find(({ term, worth }) => worth === 1 && term === stem(word));
  const rarity = own?.posting.rarity ?? Math.min(...ways.map(({ posting }) => posting.rarity));
  const share = kind === "word" ? 1 : kind === "light" ? ranking.lightVerb : ranking.implied;
  return rarity * share * (own && !own.posting.isTopic ? ranking.incidental : 1);
}

/** Known terms that an unknown one may be composed of, an abbreviation of, or a misspelling of. */
function guesses(term: string, { postings, byInitial }: Lexicon): string[] {
  if (term.length < 4 || term.length > LONGEST_GUESSED) return [];
  for (let cut = 3; cut <= term.length - 3; cut++) {
    const parts = [stem(term.slice(0, cut)), stem(term.slice(cut))];
    if (parts.every((part) => postings.has(part))) return parts;
  }
  return (byInitial.get(term.slice(0, 1)) ?? []).filter((known) => isBeginning(known, term) || isSlip(known, term));
}

/** Limit in characters for an unknown word; longer ones are not misspellings. */
const LONGEST_GUESSED = 32;
/** Minimum length of the shorter word, as a share of the longer one. */
const LIKE_ENOUGH = 0.55;

function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && short.length >= LIKE_ENOUGH * long.length && long.startsWith(short);
}

/** Whether two words of five letters or more differ by one letter that is wrong, missing, extra or transposed. */
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
