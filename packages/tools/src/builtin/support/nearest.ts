import { type Alignment, alignments } from "./alignment.ts";

/** A passage of a text that is like one that is not in it. */
export interface Nearest {
  /** Numbers of its first and last line. */
  readonly line: number;
  readonly endLine: number;
  /** From 0 to 1. Below `ALIKE` only parts of it are like what is sought. */
  readonly similarity: number;
  readonly lines: readonly string[];
  /** Line by line; empty where only the words could be compared. */
  readonly differences: readonly LineDifference[];
}

/** A line that is not the same; one of the two is missing when the other has no partner. */
export interface LineDifference {
  /** Number of the line in the file; of the one before it when the file has no such line. */
  readonly line: number;
  readonly file?: string;
  readonly wanted?: string;
}

/** Passages from this similarity on are like the sought one as a whole. */
export const ALIKE = 0.4;
/** Lines that are less alike than this may be broken elsewhere, which comparing words shows. */
const SURE = 0.7;
/** By how much the words must be more alike than the lines. */
const BETTER = 0.15;
/** Least similarity of a passage of which parts are worth showing. */
const LEAST = 0.25;
/** A line of so many letters that is the same in both says something about the place, whatever stands around it. */
const TELLING_LETTERS = 12;
/** Passages that are less alike than the best by more than this are no rivals of it. */
const CLOSE = 0.1;
/** Most passages that are named. */
const MOST = 5;
/** Most lines, or words, of the sought text that are compared. */
const MAX_SOUGHT = 80;
/** Most lines of the file that are looked at. */
const MAX_LINES = 50_000;
/** Most words of it. */
const MAX_WORDS = 100_000;

/** The passages most like the sought one, best first: the best and its rivals, or some of which parts are like it. */
export function nearestPassages(text: string, wanted: string): Nearest[] {
  const sought = withoutBlankEdges(wanted.split("\n")).slice(0, MAX_SOUGHT);
  const lines = text.split("\n", MAX_LINES);
  if (sought.length === 0) return [];
  const byLine = alignments(lines, sought);
  const best = byLine[0]?.similarity ?? 0;
  const isPerhapsBroken = best < SURE && !hasEqualLine(byLine[0], lines, sought, 1);
  const byWord = isPerhapsBroken ? passagesByWord(lines, sought) : [];
  if ((byWord[0]?.similarity ?? 0) > best + BETTER) return byWord;
  if (best >= ALIKE) return rivals(byLine, best).map((found) => described(found, lines, sought));
  return byLine
    .filter((found) => found.similarity >= LEAST || hasEqualLine(found, lines, sought, TELLING_LETTERS))
    .slice(0, MOST)
    .map((found) => described(found, lines, sought));
}

const rivals = (found: readonly Alignment[], best: number): Alignment[] =>
  found.filter(({ similarity }) => similarity >= Math.max(ALIKE, best - CLOSE)).slice(0, MOST);

/** Whether a line with at least so many letters is the same in both. */
function hasEqualLine(
  found: Alignment | undefined,
  lines: readonly string[],
  sought: readonly string[],
  letters: number,
): boolean {
  return sought.some((line, index) => {
    const partner = found?.partners[index];
    return partner !== undefined && line.trim().length >= letters && lines[partner]?.trim() === line.trim();
  });
}

/** The same when lines are broken elsewhere: word by word. */
function passagesByWord(lines: readonly string[], sought: readonly string[]): Nearest[] {
  const words: string[] = [];
  const lineOf: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (words.length >= MAX_WORDS) break;
    for (const word of wordsOf(line)) {
      words.push(word);
      lineOf.push(index);
    }
  }
  const found = alignments(words, sought.flatMap(wordsOf).slice(0, MAX_SOUGHT));
  return rivals(found, found[0]?.similarity ?? 0).map(({ similarity, first, last }) => {
    const [from = 0, to = 0] = [lineOf[first], lineOf[last]];
    const own = lines.slice(from, to + 1);
    const differences = own.length === sought.length ? sideBySide(own, sought, from) : [];
    return { line: from + 1, endLine: to + 1, similarity, lines: own, differences };
  });
}

const sideBySide = (file: readonly string[], sought: readonly string[], from: number): LineDifference[] =>
  gap(file, sought, from).filter((pair) => pair.file !== pair.wanted);

const wordsOf = (line: string): string[] => line.split(/\s+/).filter(Boolean);

function withoutBlankEdges(lines: string[]): string[] {
  const isFull = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isFull);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFull) + 1);
}

function described(alignment: Alignment, lines: readonly string[], sought: readonly string[]): Nearest {
  const { similarity, partners, first, last } = alignment;
  const differences: LineDifference[] = [];
  let next = first;
  let lone: string[] = [];
  for (const [index, partner] of [...partners, last + 1].entries()) {
    const wanted = sought[index] ?? "";
    if (partner === undefined) {
      lone.push(wanted);
      continue;
    }
    for (const difference of gap(lines.slice(next, partner), lone, next)) differences.push(difference);
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
