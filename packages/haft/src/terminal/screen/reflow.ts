import { piecesOf } from "../../draw/style.ts";

const segmenter = new Intl.Segmenter();
const WIDE = /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * The rows by which xterm.js has moved a cursor that rested on the first of these lines, once it has become narrower and
 * wraps them. It never counts too many: so many rows are erased above the cursor, and a row that is left over is better
 * than a row of the scrollback that is lost.
 */
export function shiftedRows(lines: readonly string[], before: number, columns: number): number {
  // xterm.js goes from the last line to the first, moves the cursor on the way, and does not wrap the line under it.
  return lines.reduceRight(
    (rows, line, at) => (at === rows ? rows : rows + Math.ceil(Math.min(widthOf(line), before) / columns || 1) - 1),
    0,
  );
}

function widthOf(line: string): number {
  let width = 0;
  const text = Array.from(piecesOf(line), ([piece]) => (piece.length <= 2 ? piece : "")).join("");
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Whether the terminal is xterm.js, as in VS Code: when it wraps lines below its cursor, it moves the cursor down. */
export const isXtermJs = ({ TERM_PROGRAM }: NodeJS.ProcessEnv): boolean => TERM_PROGRAM === "vscode";
