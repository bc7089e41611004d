import type { Display } from "@haft/core/tool";
import { drawnPath } from "./place.ts";
import { visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** Minimum columns for line numbers: below it, they would take too much of each line. */
const NARROW = 50;

/** A change as lines with numbers, `-` and `+`. A result and the question before it show it in the same way. */
export function drawDiff(diff: Extract<Display, { kind: "diff" }>, style: Style): string {
  const counts = `${paint(style, "green", `+${diff.added}`)} ${paint(style, "red", `-${diff.removed}`)}`;
  const rows = abridged(withoutReturns(rowsOf(diff.unified)));
  const digits = rows.reduce((most, { number }) => Math.max(most, String(number ?? "").length), 1);
  const gutter = (number: number | undefined) =>
    style.width < NARROW ? "" : `${String(number ?? "").padStart(digits)} `;
  const syntax = style.theme === undefined ? () => undefined : syntaxOf(diff, style);
  const words = style.theme === undefined ? new Map<Row, Range>() : changedWords(rows);
  const lines = rows.map((row) => {
    const { mark, number, text } = row;
    if (mark === "@") return paint(style, "cyan", "…");
    if (style.theme !== undefined) return themedLine(row, gutter(number), syntax(row), words.get(row), style);
    const line = `${gutter(number)}${mark} ${visible(text)}`;
    if (mark === "+") return paint(style, "green", line);
    return mark === "-" ? paint(style, "red", line) : line;
  });
  const notes = (diff.notes ?? []).map((note) => paint(style, "yellow", visible(note)));
  return [`${paint(style, "bold", drawnPath(style, diff.path))}  ${counts}`, ...lines, ...notes].join("\n");
}

type Range = readonly [start: number, end: number];

/** A line with a background for its change, a stronger one for the changed words, and the colours of its language. */
function themedLine(
  { mark, text }: Row,
  gutter: string,
  code: string | undefined,
  range: Range | undefined,
  style: Style,
) {
  const shown = visible(text);
  // Positions count only as long as every character is shown as itself.
  const words = range && shown === text ? range : undefined;
  const number = paint(style, "dim", gutter);
  if (mark === " ") return `${number}  ${code ?? shown}`;
  const [ground, strong, ink] =
    mark === "+" ? (["added", "addedWord", "green"] as const) : (["removed", "removedWord", "red"] as const);
  const body = words
    ? `${paint(style, ground, text.slice(0, words[0]))}${paint(style, strong, text.slice(...words))}${paint(style, ground, text.slice(words[1]))}`
    : paint(style, ground, code ?? shown);
  return `${number}${paint(style, ground, `${paint(style, ink, mark)} `)}${body}`;
}

/** The coloured lines of both files; a shortened line has no colours. */
function syntaxOf({ path, before, after }: Parameters<typeof drawDiff>[0], style: Style) {
  const language = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const linesOf = (file: string) => {
    const colored = style.highlight?.(visible(file), language);
    return { colored, plain: file.split("\n") };
  };
  const [old, now] = [linesOf(before), linesOf(after)];
  return ({ mark, number = 0, text }: Row): string | undefined => {
    const { colored, plain } = mark === "-" ? old : now;
    return plain[number - 1] === text && colored?.length === plain.length ? colored[number - 1] : undefined;
  };
}

/** The changed part of each replaced line, if it is a part. */
function changedWords(rows: readonly Row[]): ReadonlyMap<Row, Range> {
  const found = new Map<Row, Range>();
  for (let at = 0; at < rows.length; ) {
    const removed = runOf(rows, at, "-");
    const added = runOf(rows, at + removed.length, "+");
    if (removed.length === added.length)
      removed.forEach((row, index) => {
        const other = added[index]!;
        const [head, tail] = wordEdges(row.text, other.text);
        if (head + tail === 0) return;
        found.set(row, [head, row.text.length - tail]).set(other, [head, other.text.length - tail]);
      });
    at += Math.max(1, removed.length + added.length);
  }
  return found;
}

/** The lengths of the equal beginnings and ends of two lines, in whole words. */
function wordEdges(a: string, b: string): readonly [head: number, tail: number] {
  const wordsOf = (text: string): readonly string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const least = Math.min(left.length, right.length);
  let head = 0;
  while (head < least && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < least - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const length = (words: readonly string[]) => words.reduce((sum, { length }) => sum + length, 0);
  return [length(left.slice(0, head)), tail === 0 ? 0 : length(left.slice(-tail))];
}

/** If every line ends with a carriage return, it carries no information. */
const withoutReturns = (rows: readonly Row[]): readonly Row[] =>
  rows.every(({ mark, text }) => mark === "@" || text.endsWith("\r"))
    ? rows.map((row) => ({ ...row, text: row.text.replace(/\r$/, "") }))
    : rows;

interface Row {
  readonly mark: "+" | "-" | " " | "@";
  /** The line in the old file for removed lines, in the new file for the others. */
  readonly number?: number;
  readonly text: string;
}

/** Characters shown at each end of a long unchanged stretch of a line. */
const EDGE_CHARS = 200;

/**
 * Shortens long lines by their long unchanged stretches: text that is equal before and after, in replaced lines or in
 * context lines. Changed text is shown in full, however long.
 */
function abridged(rows: readonly Row[]): readonly Row[] {
  const shown: Row[][] = [];
  for (let at = 0; at < rows.length; ) {
    const removed = runOf(rows, at, "-");
    const added = runOf(rows, at + removed.length, "+");
    const around = runOf(rows, at + removed.length + added.length, " ");
    const pairs = removed.length === added.length ? removed.map((row, index) => pair(row, added[index] ?? row)) : [];
    if (pairs.length > 0)
      shown.push(
        pairs.map(([before]) => before),
        pairs.map(([, after]) => after),
      );
    else shown.push([...removed], [...added]);
    shown.push(around.map((row) => ({ ...row, text: shortened(row.text, 0, row.text.length) })));
    at += removed.length + added.length + around.length;
    if (rows[at]?.mark === "@") shown.push(rows.slice(at, ++at));
  }
  return shown.flat();
}

function runOf(rows: readonly Row[], from: number, mark: Row["mark"]): readonly Row[] {
  let end = from;
  while (rows[end]?.mark === mark) end += 1;
  return rows.slice(from, end);
}

function pair(before: Row, after: Row): readonly [Row, Row] {
  const least = Math.min(before.text.length, after.text.length);
  let head = 0;
  while (head < least && before.text[head] === after.text[head]) head += 1;
  let tail = 0;
  while (tail < least - head && before.text.at(-1 - tail) === after.text.at(-1 - tail)) tail += 1;
  const without = (row: Row): Row => {
    const end = shortened(row.text, row.text.length - tail, row.text.length);
    return { ...row, text: shortened(end, 0, head) };
  };
  return [without(before), without(after)];
}

/** Cuts the text between two offsets down to its edges. Never splits a character. */
function shortened(text: string, from: number, to: number): string {
  if (to - from <= EDGE_CHARS * 3) return text;
  const start = from + EDGE_CHARS + (isSecondHalf(text, from + EDGE_CHARS) ? 1 : 0);
  const end = to - EDGE_CHARS - (isSecondHalf(text, to - EDGE_CHARS) ? 1 : 0);
  return `${text.slice(0, start)}…(${end - start} characters)…${text.slice(end)}`;
}

const isSecondHalf = (text: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(text[at] ?? "");

/** The rows of a unified diff. Leaves out the lines before the first hunk, which name the files. */
function rowsOf(unified: string): Row[] {
  const rows: Row[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of unified.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (isInHunk) rows.push({ mark: "@", text: "" });
      isInHunk = true;
    } else if (isInHunk && line.startsWith("-")) rows.push({ mark: "-", number: before++, text: line.slice(1) });
    else if (isInHunk && line.startsWith("+")) rows.push({ mark: "+", number: after++, text: line.slice(1) });
    else if (isInHunk && line.startsWith(" ")) {
      rows.push({ mark: " ", number: after++, text: line.slice(1) });
      before++;
    } else if (isInHunk && line.startsWith("\\")) rows.push({ mark: " ", text: line });
  }
  return rows;
}
