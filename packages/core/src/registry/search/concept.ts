import type { Posting, Postings } from "./postings.ts";
import type { Asked } from "./query.ts";
import type { Ranking } from "./ranking.ts";
import type { Thesaurus } from "./thesaurus.ts";
import { stem } from "./stem.ts";

/** One thing that a query asks for: the word itself, and what else it may be called. */
export interface Concept {
  readonly word: string;
  readonly asked: Asked;
  /** How much the whole counts. */
  readonly importance: number;
  readonly ways: readonly { readonly term: string; readonly posting: Posting; readonly worth: number }[];
}

/** What is meant by the words of a query, as far as any document knows it. */
export function conceptsOf(
  asked: readonly Asked[],
  { postings, thesaurus, ranking }: { postings: Postings; thesaurus: Thesaurus; ranking: Ranking },
): Concept[] {
  const concepts: Concept[] = [];
  const words = asked.map(({ word }) => word);
  words.forEach((word, index) => {
    const term = stem(word);
    const ways = new Map<string, number>();
    const add = (found: string, worth: number): void => {
      if (postings.has(found) && worth > (ways.get(found) ?? 0)) ways.set(found, worth);
    };
    add(term, 1);
    for (const neighbour of [words[index - 1], words[index + 1]]) {
      if (neighbour === undefined) continue;
      const joined = neighbour === words[index - 1] ? `${neighbour}${word}` : `${word}${neighbour}`;
      add(stem(joined), 0.9);
    }
    for (const other of thesaurus.related(term)) add(other, postings.has(term) ? ranking.synonym : ranking.onlySynonym);
    if (!postings.has(term)) for (const guess of guesses(term, postings)) add(guess, ranking.guess);
    if (ways.size === 0) return;
    const read = [...ways].map(([found, worth]) => ({ term: found, posting: postings.get(found)!, worth }));
    concepts.push({ word: term, importance: importanceOf(postings.get(term), read, ranking) * kindWorth(asked[index]!.kind, ranking), asked: asked[index]!, ways: read });
  });
  return concepts;
}

/** A word that occurs is as important as it is rare; for another the commonest of its other names speaks. */
function kindWorth(kind: Asked["kind"], ranking: Ranking): number {
  return kind === "word" ? 1 : kind === "light" ? ranking.lightVerb : ranking.implied;
}
function importanceOf(own: Posting | undefined, ways: Concept["ways"], ranking: Ranking): number {
  if (own && !own.isTopic) return own.rarity * ranking.incidental;
  return own?.rarity ?? Math.min(...ways.map(({ posting }) => posting.rarity));
}

/** Known words that an unknown one may be short for, made of, or a misspelling of. */
function guesses(term: string, postings: Postings): string[] {
  if (term.length < 4) return [];
  for (let cut = 3; cut <= term.length - 3; cut++) {
    const [head, tail] = [stem(term.slice(0, cut)), stem(term.slice(cut))];
    if (postings.has(head) && postings.has(tail)) return [head, tail];
  }
  const found: string[] = [];
  for (const known of postings.keys()) {
    if (known.length < 4 || known[0] !== term[0]) continue;
    const isClose = Math.min(known.length, term.length) >= 0.55 * Math.max(known.length, term.length);
    if ((isClose && (known.startsWith(term) || term.startsWith(known))) || isSlip(known, term)) found.push(known);
  }
  return found;
}

/** Whether two words of five letters or more differ by one letter that is wrong, missing, too many or out of order. */
function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
