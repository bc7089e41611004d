import { type Alignment, alignments } from "./alignment.ts";

/** A passage of a text that is similar to a missing one. */
export interface Nearest {
  /** Numbers of its first and last line. */
  readonly line: number;
  readonly endLine: number;
  /** From 0 to 1. Below `ALIKE` only parts of it are similar to the sought text. */
  readonly similarity: number;
  readonly lines: readonly string[];
  /** Line by line; empty if only the words could be compared. */
  readonly differences: readonly LineDifference[];
}

/** A differing line; one of the two is missing when the other has no counterpart. */
interface LineDifference {
  /** Line number in the file, or of the line before if the file has no such line. */
  readonly line: number;
  readonly file?: string;
  readonly wanted?: string;
}

/** Minimum similarity for a passage to resemble the sought one as a whole. */
export const ALIKE = 0.4;
/** Below this similarity, lines may be broken elsewhere, which comparing words shows. */
const SURE = 0.7;
/** How much more similar the words must be than the lines. */
const BETTER = 0.15;
/** Minimum similarity of a passage whose parts are worth showing. */
const LEAST = 0.25;
/** An equal line with this many letters says something about the place, whatever surrounds it. */
const TELLING_LETTERS = 12;
/** Maximum distance from the best passage for a rival. */
const CLOSE = 0.1;
/** Maximum passages to name. */
const MOST = 5;
/** Maximum lines, or words, of the sought text to compare. */
const MAX_SOUGHT = 80;
/** Maximum lines of the file to search. */
const MAX_LINES = 50_000;
/** Maximum words of the file. */
const MAX_WORDS = 100_000;

/**
 * The passages most similar to the sought one, best first: the best and its rivals, or some whose parts are similar.
 */
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

/** Whether both have an equal line with at least this many letters. */
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

/** The same for lines that are broken elsewhere: word by word. */
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

/** Lines without a counterpart between two that have one: side by side as long as both texts have some. */
function gap(file: readonly string[], wanted: readonly string[], from: number): LineDifference[] {
  return Array.from({ length: Math.max(file.length, wanted.length) }, (_, index) => ({
    line: from + Math.min(index, file.length - 1) + 1,
    ...(index < file.length ? { file: file[index] ?? "" } : {}),
    ...(index < wanted.length ? { wanted: wanted[index] ?? "" } : {}),
  }));
}
