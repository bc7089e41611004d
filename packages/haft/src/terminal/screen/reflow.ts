import { piecesOf } from "../../draw/style.ts";

const segmenter = new Intl.Segmenter();
const WIDE = /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * The rows that lines take beyond one each, once a terminal has become narrower and wraps what it shows. It never counts
 * too many: these rows are erased, and a row that is left over is better than a row of the scrollback that is lost.
 */
export function extraRows(lines: readonly string[], before: number, columns: number): number {
  return lines.reduce((rows, line) => {
    let width = 0;
    const text = Array.from(piecesOf(line), ([piece]) => (piece.length <= 2 ? piece : "")).join("");
    for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
    return rows + Math.max(0, Math.ceil(Math.min(width, before) / columns) - 1);
  }, 0);
}

/** Whether the terminal wraps the lines that it shows when it becomes narrower. Some old ones cut them off. */
export function reflows({ TERM = "", TMUX, TERM_PROGRAM, XTERM_VERSION }: NodeJS.ProcessEnv): boolean {
  if (TMUX !== undefined || TERM_PROGRAM !== undefined) return true;
  return XTERM_VERSION === undefined && TERM !== "linux" && !TERM.startsWith("screen");
}
