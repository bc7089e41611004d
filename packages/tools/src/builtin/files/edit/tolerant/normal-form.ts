import { folded } from "../../../support/unicode.ts";

/** Differences to ignore when comparing two texts. White space at the end of a line is always ignored. */
export interface Tolerance {
  /** White space at the beginning of lines. */
  readonly indentation?: boolean;
  /** The amount of white space between words. */
  readonly runs?: boolean;
  /** Quotes, dashes, spaces, full-width and composed characters that have a plain equivalent. */
  readonly unicode?: boolean;
  /** Empty lines. */
  readonly blankLines?: boolean;
}

/** A text without the ignored differences. Lines stay lines, so each character maps back to its source. */
export interface NormalForm {
  readonly text: string;
  /** Offset in the source at which character `index` begins. */
  start(index: number): number;
  /** Offset in the source after the end of character `index`. */
  end(index: number): number;
}

const TAB = 9;
const SPACE = 32;

/**
 * Removes the ignored differences from a text, in time linear in the text. Line ends must be `
 * `.
 */
export function normalForm(source: string, tolerance: Tolerance): NormalForm {
  const kept: string[] = [];
  const formStarts: number[] = [];
  const sourceStarts: number[] = [];
  let formAt = 0;
  let sourceAt = 0;
  for (const line of source.split("\n")) {
    const short = normalLine(line, tolerance);
    if (short !== "" || !tolerance.blankLines) {
      kept.push(short);
      formStarts.push(formAt);
      sourceStarts.push(sourceAt);
      formAt += short.length + 1;
    }
    sourceAt += line.length + 1;
  }
  /** Source offsets of one character. Finds its line and scans only that line. */
  const place = (index: number): readonly [start: number, end: number] => {
    const row = rowOf(formStarts, index);
    const from = sourceStarts[row] ?? 0;
    const lineEnd = source.indexOf("\n", from);
    const line = source.slice(from, lineEnd < 0 ? source.length : lineEnd);
    const column = index - (formStarts[row] ?? 0);
    if (column >= (kept[row]?.length ?? 0)) return [from + line.length, from + line.length + 1];
    const [start = 0, end = 0] = placesIn(line, tolerance)[column] ?? [];
    return [from + start, from + end];
  };
  return { text: kept.join("\n"), start: (index) => place(index)[0], end: (index) => place(index)[1] };
}

function rowOf(starts: readonly number[], index: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

const ODD = /[^\x20-\x7e\t]/;
const RUNS = /\t[ \t]*| [ \t]+/g;

function normalLine(line: string, { indentation, runs, unicode }: Tolerance): string {
  const plain = unicode && ODD.test(line) ? Array.from(line, folded).join("") : line;
  const [from, to] = edgesOf(plain);
  const body = plain.slice(from, to);
  return (indentation || body === "" ? "" : plain.slice(0, from)) + (runs ? body.replace(RUNS, " ") : body);
}

/** The start and end of the text in a line, without white space at its edges. */
function edgesOf(line: string): readonly [from: number, to: number] {
  let [from, to] = [0, line.length];
  while (to > 0 && isSpace(line.charCodeAt(to - 1))) to -= 1;
  while (from < to && isSpace(line.charCodeAt(from))) from += 1;
  return [from, to];
}

const isSpace = (code: number): boolean => code === SPACE || code === TAB;

/** For each character that `normalLine` returns, the characters of the line that it represents. */
function placesIn(line: string, { indentation, runs, unicode }: Tolerance): (readonly [number, number])[] {
  const units: { readonly text: string; readonly start: number; readonly end: number }[] = [];
  let at = 0;
  for (const character of line) {
    const text = unicode ? folded(character) : character;
    for (const letter of text.split("")) units.push({ text: letter, start: at, end: at + character.length });
    at += character.length;
  }
  const white = (unit: (typeof units)[number]): boolean => isSpace(unit.text.charCodeAt(0));
  const from = units.findIndex((unit) => !white(unit));
  const to = units.findLastIndex((unit) => !white(unit)) + 1;
  if (from < 0) return [];
  const places: [number, number][] = [];
  for (const [index, unit] of units.slice(0, to).entries()) {
    const before = units[index - 1];
    if (index < from && indentation) continue;
    const isRun = runs && index > from && white(unit) && before !== undefined && white(before);
    const last = places.at(-1);
    if (isRun && last) last[1] = unit.end;
    else places.push([unit.start, unit.end]);
  }
  return places;
}
