import type { Field } from "./document.ts";

/**
 * How words count. Found by trying: many rankings around a first guess were rated on one half of some four hundred
 * queries and checked on the other; these values are the middle of the good ones, and their neighbours do as well.
 */
export interface Ranking {
  /** What one occurrence in a field is worth. */
  readonly weight: Readonly<Record<Field, number>>;
  /** How much a long field dilutes its words: 0 not at all, 1 in full. */
  readonly dilution: Readonly<Record<Field, number>>;
  /** How soon more of the same word stops to count. */
  readonly saturation: number;
  /** What a synonym is worth beside the word itself. */
  readonly synonym: number;
  /** The same for a verb of the same deed: create, add or new is the taste of an author. */
  readonly sameDeed: number;
  /** How much less each synonym is worth the more of them a word has. */
  readonly vagueness: number;
  /** How much of a synonym's worth is left where a tool only mentions it. */
  readonly mentionedSynonym: number;
  /** How much of a synonym's worth is left where the query says both words. */
  readonly saidApart: number;
  /** What a guess is worth: an unknown word that a known one begins with, or is nearly spelt like. */
  readonly guess: number;
  /** The same for a word that no tool has: its synonym is all there is. */
  readonly onlySynonym: number;
  /** How much a tool loses that does something else to its object than the query wants. */
  readonly otherAction: number;
  /** What a word counts that no tool has in its name, title or first sentence: most likely somebody's data. */
  readonly incidental: number;
  /** What a verb counts that goes with everything: give, make, take. */
  readonly lightVerb: number;
  /** What it is worth that the query names the server. */
  readonly server: number;
  /** What the kind of a question counts: "which ... are there" asks for a list. */
  readonly implied: number;
  /** What it is worth that the other tools of the same server answer to a word. */
  readonly neighbours: number;
  /** What it is worth that a tool's name is covered by the query. */
  readonly nameCoverage: number;
  /** How much of that is left for a word that stands for several there and for one here, or the other way round. */
  readonly otherNumber: number;
  /** How strongly a tool that answers to more of the query's words is preferred. */
  readonly queryCoverage: number;
}

/** The ranking in use: found by trying, held by the tests of the search. */
export const RANKING: Ranking = {
  weight: { name: 3, hint: 4, title: 2, summary: 3, body: 0.7, parameters: 0.8, details: 0.5, server: 2 },
  dilution: { name: 0.5, hint: 0.3, title: 0.3, summary: 0.4, body: 0.55, parameters: 0.55, details: 0.7, server: 0.2 },
  saturation: 1.5,
  synonym: 0.55,
  sameDeed: 0.8,
  vagueness: 0.3,
  mentionedSynonym: 0.75,
  saidApart: 0.6,
  guess: 0.55,
  onlySynonym: 0.9,
  otherAction: 0.2,
  incidental: 0.8,
  lightVerb: 0.4,
  server: 0.4,
  implied: 0.4,
  neighbours: 0.4,
  nameCoverage: 0.4,
  otherNumber: 0.6,
  queryCoverage: 0.5,
};
