import { letterPairs, likeness, sharedPairs } from "./similarity.ts";

/** How the units (lines or words) of a sought text align with another text. */
export interface Alignment {
  /** From 0 to 1. */
  readonly similarity: number;
  /** For each sought unit, its counterpart in the text. */
  readonly partners: readonly (number | undefined)[];
  /** Indexes of the first and the last partner. */
  readonly first: number;
  readonly last: number;
}

/** Maximum places that are compared unit by unit. */
const MAX_PLACES = 8;
/** Maximum units inserted or removed between two matches. */
const DRIFT = 6;
/** Minimum similarity for two units to count as the same. */
const LEAST_PAIR = 0.4;

/**
 * Finds the passages most similar to the sought one, best first, without overlaps with a better one. In time linear in
 * the text: units and words that occur in both vote for where the passage would begin, rare ones more. The places with
 * the most votes are compared unit by unit.
 */
export function alignments(units: readonly string[], sought: readonly string[]): Alignment[] {
  const soughtPairs = sought.map(letterPairs);
  const cache = new Map<number, Uint32Array>();
  const pairsOf = (index: number): Uint32Array => {
    const known = cache.get(index) ?? letterPairs(units[index] ?? "");
    cache.set(index, known);
    return known;
  };
  const found = bestPlaces(units, sought).flatMap((place) => align(units.length, soughtPairs, pairsOf, place) ?? []);
  const chosen: Alignment[] = [];
  for (const each of found.sort((a, b) => b.similarity - a.similarity))
    if (chosen.every(({ first, last }) => each.first > last || each.last < first)) chosen.push(each);
  return chosen;
}

/** Indexes where the passage may begin, the most likely first, none next to a likelier one. */
function bestPlaces(units: readonly string[], sought: readonly string[]): number[] {
  const chosen: number[] = [];
  for (const [place] of [...votesFor(units, sought)].sort((a, b) => b[1] - a[1])) {
    if (chosen.some((other) => Math.abs(other - place) <= 1)) continue;
    chosen.push(place);
    if (chosen.length === MAX_PLACES) break;
  }
  return chosen;
}

/** A unit or word of the sought text, and its positions in both texts. */
interface Clue {
  readonly weight: number;
  readonly offsets: number[];
  readonly found: number[];
}

function votesFor(units: readonly string[], sought: readonly string[]): Map<number, number> {
  const lines = new Map<string, Clue>();
  const words = new Map<string, Clue>();
  const note = (clues: Map<string, Clue>, key: string, index: number, weight: number): void => {
    const known = clues.get(key);
    if (!known) clues.set(key, { weight, offsets: [index], found: [] });
    else if (known.offsets.length < 8 && known.offsets.at(-1) !== index) known.offsets.push(index);
  };
  for (const [index, unit] of sought.entries()) {
    const trimmed = unit.trim();
    if (trimmed === "") continue;
    note(lines, trimmed, index, 3 * Math.min(trimmed.length + 1, 40));
    for (const word of trimmed.match(WORD) ?? []) note(words, word, index, Math.min(word.length, 40));
  }
  for (const [index, unit] of units.entries()) {
    const short = unit.length > MAX_UNIT ? unit.slice(0, MAX_UNIT) : unit;
    lines.get(short.trim())?.found.push(index);
    for (const word of short.match(WORD) ?? []) words.get(word)?.found.push(index);
  }
  const votes = new Map<number, number>();
  for (const { weight, offsets, found } of [...lines.values(), ...words.values()]) {
    if (found.length > MAX_FREQUENCY) continue;
    for (const index of found)
      for (const offset of offsets) {
        const place = Math.max(index - offset, 0);
        votes.set(place, (votes.get(place) ?? 0) + weight / found.length);
      }
  }
  return votes;
}

/** Words of at least three characters; shorter ones are everywhere. */
const WORD = /[\w\u0080-\uffff]{3,}/g;
/** Characters of a unit that are searched for words. */
const MAX_UNIT = 1000;
/** Maximum frequency: a word or line that occurs more often in the file says nothing about the place. */
const MAX_FREQUENCY = 400;

/** Pairs the sought units with those of the text around a place, in order, for the greatest total similarity. */
function align(
  count: number,
  sought: readonly Uint32Array[],
  pairsOf: (index: number) => Uint32Array,
  place: number,
): Alignment | undefined {
  const from = Math.max(place - DRIFT, 0);
  const to = Math.min(place + sought.length + DRIFT, count);
  const width = to - from + 1;
  const score = new Float64Array((sought.length + 1) * width);
  const like = new Float64Array(sought.length * width);
  for (let row = sought.length - 1; row >= 0; row--)
    for (let column = width - 2; column >= 0; column--) {
      const skip = Math.max(score[(row + 1) * width + column] ?? 0, score[row * width + column + 1] ?? 0);
      const isNear = Math.abs(column + from - place - row) <= 2 * DRIFT;
      const value = isNear ? unitLikeness(sought, row, pairsOf(from + column)) : 0;
      like[row * width + column] = value;
      const weight = (sought[row]?.length ?? 0) + 1;
      const paired = value > LEAST_PAIR ? value * weight + (score[(row + 1) * width + column + 1] ?? 0) : 0;
      score[row * width + column] = Math.max(skip, paired);
    }
  return trace(score, like, sought, pairsOf, from, width);
}

/** The first and the last unit may be parts of longer ones. */
function unitLikeness(sought: readonly Uint32Array[], row: number, other: Uint32Array): number {
  const own = sought[row] ?? new Uint32Array();
  const isEdge = row === 0 || row === sought.length - 1;
  if (!isEdge || own.length < 4) return likeness(own, other);
  return Math.max(likeness(own, other), (sharedPairs(own, other) / own.length) * 0.95);
}

function trace(
  score: Float64Array,
  like: Float64Array,
  sought: readonly Uint32Array[],
  pairsOf: (index: number) => Uint32Array,
  from: number,
  width: number,
): Alignment | undefined {
  const partners: (number | undefined)[] = sought.map(() => undefined);
  const at = (row: number, column: number): number => score[row * width + column] ?? 0;
  let column = 0;
  for (let row = 0; row < sought.length && column < width - 1; ) {
    const value = like[row * width + column] ?? 0;
    const paired = value * ((sought[row]?.length ?? 0) + 1) + at(row + 1, column + 1);
    if (value > LEAST_PAIR && paired >= at(row, column) - 1e-9) {
      partners[row] = from + column;
      row += 1;
      column += 1;
    } else if (at(row, column + 1) >= at(row + 1, column)) column += 1;
    else row += 1;
  }
  const found = partners.filter((partner) => partner !== undefined);
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const weights = sought.reduce((sum, pairs) => sum + pairs.length + 1, 0);
  let strangers = 0;
  for (let index = first; index <= last; index++) if (!found.includes(index)) strangers += pairsOf(index).length + 1;
  return { similarity: at(0, 0) / (weights + strangers / 2), partners, first, last };
}
