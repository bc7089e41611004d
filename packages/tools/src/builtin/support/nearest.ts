import { letterPairs, likeness, sharedPairs } from "./likeness.ts";

/** The passage of a text that is most like one that is not in it. */
export interface Nearest {
  /** Numbers of its first and last line. */
  readonly line: number;
  readonly endLine: number;
  /** From 0.4 to 1. */
  readonly similarity: number;
  readonly lines: readonly string[];
  readonly differences: readonly LineDifference[];
}

/** A line that is not the same; one of the two is missing when the other has no partner. */
export interface LineDifference {
  /** Number of the line in the file; of the one before it when the file has no such line. */
  readonly line: number;
  readonly file?: string;
  readonly wanted?: string;
}

/** Least similarity that is worth showing. */
const LEAST = 0.4;
/** Most lines of the sought text that are compared. */
const MAX_SOUGHT = 80;
/** Most lines of the file that are looked at. */
const MAX_LINES = 50_000;
/** Places that are compared line by line. */
const MAX_PLACES = 6;
/** Lines that may have come or gone between two that match. */
const DRIFT = 6;

/**
 * Finds it in time linear in the text: lines and words that both have vote for where the passage would begin, rare
 * ones more; the places with most votes are compared line by line.
 */
export function nearestWindow(text: string, wanted: string): Nearest | undefined {
  const sought = withoutBlankEdges(wanted.split("\n")).slice(0, MAX_SOUGHT);
  const lines = text.split("\n", MAX_LINES);
  if (sought.length === 0) return undefined;
  const soughtPairs = sought.map(letterPairs);
  const cache = new Map<number, Uint32Array>();
  const pairsOf = (index: number): Uint32Array => {
    const known = cache.get(index) ?? letterPairs(lines[index] ?? "");
    cache.set(index, known);
    return known;
  };
  let best: Alignment | undefined;
  for (const place of bestPlaces(lines, sought)) {
    const aligned = align(lines, soughtPairs, pairsOf, place);
    if (aligned && aligned.similarity > (best?.similarity ?? 0)) best = aligned;
  }
  return best && best.similarity >= LEAST ? described(best, lines, sought) : undefined;
}

function withoutBlankEdges(lines: string[]): string[] {
  const isFull = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isFull);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFull) + 1);
}

/** Numbers of lines at which the passage may begin, the most likely first. */
function bestPlaces(lines: readonly string[], sought: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  const note = (key: string, index: number): void => {
    const known = places.get(key);
    if (!known) places.set(key, [index]);
    else if (known.length < 8 && known.at(-1) !== index) known.push(index);
  };
  for (const [index, line] of sought.entries()) {
    const trimmed = line.trim();
    if (trimmed === "") continue;
    note(`=${trimmed}`, index);
    for (const word of trimmed.match(WORD) ?? []) note(word, index);
  }
  const hits = new Map<string, number[]>();
  const hit = (key: string, index: number): void => {
    if (!places.has(key)) return;
    const known = hits.get(key);
    if (!known) hits.set(key, [index]);
    else known.push(index);
  };
  for (const [index, line] of lines.entries()) {
    const short = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
    hit(`=${short.trim()}`, index);
    for (const word of short.match(WORD) ?? []) hit(word, index);
  }
  const votes = new Map<number, number>();
  for (const [key, found] of hits) {
    if (found.length > MAX_FREQUENCY) continue;
    const weight = (key.startsWith("=") ? 3 : 1) * (Math.min(key.length, 40) / found.length);
    for (const index of found)
      for (const offset of places.get(key) ?? [])
        votes.set(Math.max(index - offset, 0), (votes.get(Math.max(index - offset, 0)) ?? 0) + weight);
  }
  return [...votes]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_PLACES)
    .map(([place]) => place);
}

/** Words of three characters and more; shorter ones are everywhere. */
const WORD = /[\w\u0080-\uffff]{3,}/g;
/** Characters of a line in which words are looked for. */
const MAX_LINE = 1000;
/** A word or line that is in more lines of the file says nothing about the place. */
const MAX_FREQUENCY = 400;

interface Alignment {
  readonly similarity: number;
  /** For each sought line the line of the file that it stands for. */
  readonly partners: readonly (number | undefined)[];
}

/** Pairs the sought lines with those of the file around a place, in order, for the greatest likeness in all. */
function align(
  lines: readonly string[],
  sought: readonly Uint32Array[],
  pairsOf: (index: number) => Uint32Array,
  place: number,
): Alignment | undefined {
  const from = Math.max(place - DRIFT, 0);
  const to = Math.min(place + sought.length + DRIFT, lines.length);
  const width = to - from + 1;
  const score = new Float64Array((sought.length + 1) * width);
  const like = new Float64Array(sought.length * width);
  for (let row = sought.length - 1; row >= 0; row--)
    for (let column = width - 2; column >= 0; column--) {
      const skip = Math.max(score[(row + 1) * width + column] ?? 0, score[row * width + column + 1] ?? 0);
      const isNear = Math.abs(column + from - place - row) <= 2 * DRIFT;
      const value = isNear ? lineLikeness(sought, row, pairsOf(from + column)) : 0;
      like[row * width + column] = value;
      const weight = (sought[row]?.length ?? 0) + 1;
      const paired = value > 0.4 ? value * weight + (score[(row + 1) * width + column + 1] ?? 0) : 0;
      score[row * width + column] = Math.max(skip, paired);
    }
  return trace(score, like, sought, pairsOf, from, width);
}

/** The first and the last line may be pieces of longer ones. */
function lineLikeness(sought: readonly Uint32Array[], row: number, file: Uint32Array): number {
  const own = sought[row] ?? new Uint32Array();
  const isEdge = row === 0 || row === sought.length - 1;
  if (!isEdge || own.length < 4) return likeness(own, file);
  return Math.max(likeness(own, file), (sharedPairs(own, file) / own.length) * 0.95);
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
    if (value > 0.4 && paired >= at(row, column) - 1e-9) {
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
  return { similarity: at(0, 0) / (weights + strangers / 2), partners };
}

function described({ similarity, partners }: Alignment, lines: readonly string[], sought: readonly string[]): Nearest {
  const found = partners.filter((partner) => partner !== undefined);
  const [first = 0, last = 0] = [found[0], found.at(-1)];
  const differences: LineDifference[] = [];
  let next = first;
  let lone: string[] = [];
  for (const [index, partner] of [...partners, last + 1].entries()) {
    const wanted = sought[index] ?? "";
    if (partner === undefined) {
      lone.push(wanted);
      continue;
    }
    differences.push(...gap(lines.slice(next, partner), lone, next));
    if (index < sought.length && lines[partner] !== wanted)
      differences.push({ line: partner + 1, file: lines[partner] ?? "", wanted });
    lone = [];
    next = partner + 1;
  }
  return { line: first + 1, endLine: last + 1, similarity, lines: lines.slice(first, last + 1), differences };
}

/** Lines without a partner between two that have one: side by side as far as both texts have some. */
function gap(file: readonly string[], wanted: readonly string[], from: number): LineDifference[] {
  return Array.from({ length: Math.max(file.length, wanted.length) }, (_, index) => ({
    line: from + Math.min(index, file.length - 1) + 1,
    ...(index < file.length ? { file: file[index] ?? "" } : {}),
    ...(index < wanted.length ? { wanted: wanted[index] ?? "" } : {}),
  }));
}
