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
  const lines = rows.map(({ mark, number, text }) => {
    if (mark === "@") return paint(style, "cyan", "…");
    const line = `${gutter(number)}${mark} ${visible(text)}`;
    if (mark === "+") return paint(style, "green", line);
    return mark === "-" ? paint(style, "red", line) : line;
  });
  return [`${paint(style, "bold", drawnPath(style, diff.path))}  ${counts}`, ...lines].join("\n");
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
