import type { Field } from "./document.ts";

/** The score of a tool that the query names. */
export const EXACT_SCORE = 1_000;

/**
 * The weights of words, found by experiment. Many rankings around a first guess were rated on one half of some four
 * hundred queries and checked on the other half. These values are the middle of the good ones; values nearby do as
 * well.
 */
export interface Ranking {
  /** The weight of one occurrence in a field. */
  readonly weight: Readonly<Record<Field, number>>;
  /** How much a long field dilutes its words: 0 not at all, 1 fully. */
  readonly dilution: Readonly<Record<Field, number>>;
  /** How soon more occurrences of the same word stop counting. */
  readonly saturation: number;
  /** The weight of a synonym, relative to the word itself. */
  readonly synonym: number;
  /** The same for a verb with the same meaning: authors choose freely between create, add and new. */
  readonly sameDeed: number;
  /** How much the weight of each synonym falls with the number of synonyms of a word. */
  readonly vagueness: number;
  /** The rest of a synonym's weight if a tool only mentions it. */
  readonly mentionedSynonym: number;
  /** The rest of a synonym's weight if the query contains both words. */
  readonly saidApart: number;
  /** The weight of a guess: a known word that an unknown one begins with, or that is spelt nearly like it. */
  readonly guess: number;
  /** The weight of a synonym for a word that no tool contains: the synonym is the only match. */
  readonly onlySynonym: number;
  /** The penalty for a tool whose action differs from the one in the query. */
  readonly otherAction: number;
  /** The weight of a word that no tool has in its name, title or first sentence: it is probably user data. */
  readonly incidental: number;
  /** The weight of a verb that fits any noun: give, make, take. */
  readonly lightVerb: number;
  /** The bonus if the query names the server. */
  readonly server: number;
  /** The weight of the implied verb of a question: "which ... are there" asks for a list. */
  readonly implied: number;
  /** The bonus if the other tools of the same server match a word. */
  readonly neighbours: number;
  /** The bonus if the query covers a tool's name. */
  readonly nameCoverage: number;
  /** The rest of that bonus for a word that is plural there and singular here, or the other way round. */
  readonly otherNumber: number;
  /** How strongly a tool that matches more of the query's words is preferred. */
  readonly queryCoverage: number;
}

/** The ranking in use: found by experiment, checked by the tests of the search. */
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
