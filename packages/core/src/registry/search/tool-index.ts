import { atOnce, eachInSteps, type InSteps } from "./cooperative-yield.ts";
import { type Document, documentOf, type SearchableTool, termOf } from "./document.ts";
import { createNameIndex } from "./name-index.ts";
import { parseQuery } from "./query.ts";
import { EXACT_SCORE, RANKING, type Ranking } from "./ranking.ts";
import { createScorer } from "./scoring.ts";
import { stem } from "./stem.ts";
import { wordsOf } from "./words.ts";

/** A tool that matches a query. */
export interface SearchHit<T> {
  readonly tool: T;
  /** Comparable only within one search; `EXACT_SCORE` for a tool that the query names. */
  readonly score: number;
}

/** The result of a search. */
export interface SearchAnswer<T> {
  /** Best first; equals in the given order of the tools. */
  readonly hits: readonly SearchHit<T>[];
  /** The unknown names of a `select:`. */
  readonly missing: readonly string[];
}

/** The limit of a search, and the filter for tools. */
export interface SearchOptions<T> {
  /** Maximum number of hits. Default 5. A `select:` returns every tool that it names. */
  readonly limit?: number;
  /** Tools for which this returns false do not exist for the search. */
  accept?(tool: T): boolean;
}

/** A searchable list of tools. Pure: the same tools and the same query give the same answer. */
export interface ToolIndex<T extends SearchableTool> {
  readonly tools: readonly T[];
  /**
   * `select:A,B` returns exactly these tools, ignoring case. Otherwise every `+word` must occur in a tool, and the
   * words rank the tools. A tool comes first if its full name is the query or occurs in it.
   */
  search(query: string, options?: SearchOptions<T>): SearchAnswer<T>;
}

/** The default number of hits. */
export const DEFAULT_HITS = 5;
/** Limit in characters for a query; the rest is ignored. */
const LONGEST_QUERY = 2_000;

/** Reads the tools once: about 50 µs for each. A search then takes well under a millisecond for hundreds of tools. */
export const createToolIndex = <T extends SearchableTool>(
  tools: readonly T[],
  ranking: Ranking = RANKING,
): ToolIndex<T> => atOnce(buildToolIndex(tools, ranking));

/** The same in steps of a few milliseconds: ten thousand tools take half a second altogether. */
export function* buildToolIndex<T extends SearchableTool>(
  tools: readonly T[],
  ranking: Ranking = RANKING,
): InSteps<ToolIndex<T>> {
  const toTerm = remembered(termOf);
  const documents: Document[] = [];
  yield* eachInSteps(tools, (tool) => documents.push(documentOf(tool, toTerm)));
  const scorer = yield* createScorer(tools, documents, ranking);
  const names = yield* createNameIndex(tools);

  /** Whether a tool has each of the words, by their stems or within its name. */
  function hasAll(index: number, words: readonly string[]): boolean {
    if (words.length === 0) return true;
    const { name, server = "" } = tools[index]!;
    const full = `${server}/${name}`.toLowerCase();
    return words.every((word) => {
      const parts = wordsOf(word);
      const isSaid = parts.length > 0 && parts.every((part) => scorer.has(index, stem(part)));
      return isSaid || full.includes(word.toLowerCase());
    });
  }

  function select(wanted: readonly string[], accept: (tool: T) => boolean): SearchAnswer<T> {
    const found = new Set<number>();
    const missing: string[] = [];
    for (const name of wanted) {
      const indexes = names.named(name).filter((index) => accept(tools[index]!));
      for (const index of indexes) found.add(index);
      if (indexes.length === 0) missing.push(name);
    }
    return { hits: [...found].map((index) => ({ tool: tools[index]!, score: EXACT_SCORE })), missing };
  }

  return {
    tools,
    search(query, { limit = DEFAULT_HITS, accept = () => true } = {}) {
      const { select: wanted, required, text } = parseQuery(query.slice(0, LONGEST_QUERY));
      if (wanted) return select(wanted, accept);
      const whole = names.named(text).filter((index) => accept(tools[index]!));
      if (whole.length > 0) {
        return {
          hits: whole.slice(0, limit).map((index) => ({ tool: tools[index]!, score: EXACT_SCORE })),
          missing: [],
        };
      }
      const rating = scorer.rate(text);
      const pasted = new Set(names.within(text));
      const eligible = (index: number): boolean => hasAll(index, required) && accept(tools[index]!);
      const top = shortlist(limit);
      for (let index = 0; index < tools.length; index++) {
        if (pasted.has(index)) {
          if (eligible(index)) top.offer(index, EXACT_SCORE);
          continue;
        }
        const most = rating.atMost(index);
        if (most === 0 && required.length === 0) continue;
        if (top.wouldTake(most) && eligible(index)) top.offer(index, rating.of(index));
      }
      return {
        hits: top.list.map(({ index, score }) => ({ tool: tools[index]!, score: rounded(score) })),
        missing: [],
      };
    },
  };
}

/** The best few of many, equals in their original order. */
function shortlist(limit: number) {
  const list: { readonly index: number; readonly score: number }[] = [];
  const wouldTake = (score: number): boolean => list.length < limit || score > (list.at(-1)?.score ?? Infinity);
  return {
    list,
    wouldTake,
    offer(index: number, score: number): void {
      if (!wouldTake(score)) return;
      const at = list.findIndex((other) => other.score < score);
      list.splice(at === -1 ? list.length : at, 0, { index, score });
      if (list.length > limit) list.pop();
    },
  };
}

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;

/** Caches the result for each word: words recur, so most are read only once. */
function remembered<T>(read: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined || known.has(word)) return before as T;
    const made = read(word);
    known.set(word, made);
    return made;
  };
}
