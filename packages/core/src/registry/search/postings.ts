import { type Document, FIELDS } from "./document.ts";
import { eachInSteps, type InSteps } from "./in-steps.ts";
import type { Ranking } from "./ranking.ts";

/** Where a word occurs, and what it says there: BM25F's saturated weight, between 0 and 1. */
export interface Posting {
  readonly documents: Int32Array;
  readonly weights: Float32Array;
  /** How rare the word is: a word of few documents tells much. */
  readonly rarity: number;
  /** Whether some document has the word where it says what it is for. */
  readonly isTopic: boolean;
}

/** From stems to their occurrences in a list of documents. */
export type Postings = ReadonlyMap<string, Posting>;

/** Builds the postings: each field is weighed by its kind and length before the fields are added up (BM25F). */
export function* postingsOf(documents: readonly Document[], ranking: Ranking): InSteps<Postings> {
  const averages = averageLengths(documents);
  const topics = new Set<string>();
  yield* eachInSteps(documents, (document) => {
    for (const field of TOPIC_FIELDS) for (const term of document[field]) topics.add(term);
  });
  const found = new Map<string, { documents: number[]; weights: number[] }>();
  yield* eachInSteps(documents, (document, index) => {
    for (const [term, frequency] of weighed(document, averages, ranking)) {
      let entry = found.get(term);
      if (!entry) {
        entry = { documents: [], weights: [] };
        found.set(term, entry);
      }
      entry.documents.push(index);
      entry.weights.push(frequency / (ranking.saturation + frequency));
    }
  });
  const postings = new Map<string, Posting>();
  yield* eachInSteps(found, ([term, { documents: at, weights }]) => {
    postings.set(term, {
      documents: Int32Array.from(at),
      weights: Float32Array.from(weights),
      rarity: rarityOf(at.length, documents.length),
      isTopic: topics.has(term),
    });
  });
  return postings;
}

/** The fields that say what a tool is for. */
const TOPIC_FIELDS = ["name", "hint", "title", "summary", "server"] as const;

/** The logarithmic rarity of BM25, never negative. */
const rarityOf = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

function weighed(document: Document, averages: Lengths, { weight, dilution }: Ranking): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const field of FIELDS) {
    const terms = document[field];
    if (terms.length === 0) continue;
    const length = 1 - dilution[field] + dilution[field] * (terms.length / averages[field]);
    const worth = weight[field] / length;
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + worth);
  }
  return frequencies;
}

type Lengths = Record<(typeof FIELDS)[number], number>;

function averageLengths(documents: readonly Document[]): Lengths {
  return Object.fromEntries(
    FIELDS.map((field) => {
      const lengths = documents.map((document) => document[field].length).filter((length) => length > 0);
      return [field, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)];
    }),
  ) as Lengths;
}
