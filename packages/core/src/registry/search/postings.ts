import { eachInSteps, type InSteps } from "./cooperative-yield.ts";
import { type Document, FIELDS, type Field } from "./document.ts";
import type { Ranking } from "./ranking.ts";

/** The occurrences of a word, with BM25F's saturated weight for each, between 0 and 1. */
export interface Posting {
  readonly documents: Int32Array;
  readonly weights: Float32Array;
  /** The same from only the fields that describe a tool's purpose. */
  readonly topicWeights: Float32Array;
  /** The rarity of the word: a word in few documents is more significant. */
  readonly rarity: number;
  /** Whether some document has the word in a field that describes its purpose. */
  readonly isTopic: boolean;
}

/** From stems to their occurrences in a list of documents. */
export type Postings = ReadonlyMap<string, Posting>;

/** Builds the postings: each field is weighted by its kind and length before the fields are added up (BM25F). */
export function* postingsOf(documents: readonly Document[], ranking: Ranking): InSteps<Postings> {
  const averages = averageLengths(documents);
  const topics = new Set<string>();
  yield* eachInSteps(documents, (document) => {
    for (const field of TOPIC_FIELDS) for (const term of document[field]) topics.add(term);
  });
  const found = new Map<string, { documents: number[]; weights: number[]; topicWeights: number[] }>();
  const saturated = (frequency: number): number => frequency / (ranking.saturation + frequency);
  yield* eachInSteps(documents, (document, index) => {
    for (const [term, { topic, rest }] of weighed(document, averages, ranking)) {
      let entry = found.get(term);
      if (!entry) {
        entry = { documents: [], weights: [], topicWeights: [] };
        found.set(term, entry);
      }
      entry.documents.push(index);
      entry.weights.push(saturated(topic + rest));
      entry.topicWeights.push(saturated(topic));
    }
  });
  const postings = new Map<string, Posting>();
  yield* eachInSteps(found, ([term, { documents: at, weights, topicWeights }]) => {
    postings.set(term, {
      documents: Int32Array.from(at),
      weights: Float32Array.from(weights),
      topicWeights: Float32Array.from(topicWeights),
      rarity: rarityOf(at.length, documents.length),
      isTopic: topics.has(term),
    });
  });
  return postings;
}

/** The fields that describe a tool's purpose. */
const TOPIC_FIELDS: ReadonlySet<Field> = new Set<Field>(["name", "hint", "title", "summary", "server"]);

/** The logarithmic rarity of BM25, never negative. */
const rarityOf = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** The weighted frequency of a term: in the fields that describe a tool's purpose, and in the rest. */
type Frequency = { topic: number; rest: number };

function weighed(document: Document, averages: Lengths, { weight, dilution }: Ranking): Map<string, Frequency> {
  const frequencies = new Map<string, Frequency>();
  for (const field of FIELDS) {
    const terms = document[field];
    if (terms.length === 0) continue;
    const length = 1 - dilution[field] + dilution[field] * (terms.length / averages[field]);
    const worth = weight[field] / length;
    const kind = TOPIC_FIELDS.has(field) ? "topic" : "rest";
    for (const term of terms) {
      let frequency = frequencies.get(term);
      if (!frequency) {
        frequency = { topic: 0, rest: 0 };
        frequencies.set(term, frequency);
      }
      frequency[kind] += worth;
    }
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
