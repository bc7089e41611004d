/** The display features of the other end. */
export interface Style {
  readonly color: boolean;
  /** Columns; infinite for a pipe. */
  readonly width: number;
  /** Whether the terminal supports links (OSC 8). */
  readonly links?: boolean;
  /** The base folder of shown paths. Without it they are shown unchanged. */
  readonly cwd?: string;
}

/** No colours, no width: for pipes and for tests. */
export const PLAIN: Style = { color: false, width: Number.POSITIVE_INFINITY };

/** SGR parameters: on, off. */
const inks = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const;

export type Ink = keyof typeof inks;

/** Applies an ink, if inks are shown. The text must have been sanitised. */
export function paint(style: Style, ink: Ink, text: string): string {
  if (!style.color || text === "") return text;
  const [on, off] = inks[ink];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** The prefix of a wrapped row. */
const MARK = "  ↪ ";

/** Rows break at a space if one is this close to the edge. */
const NEAR_EDGE = 24;

/**
 * Wraps lines to the width of a terminal. Continued rows start with a mark, so that no text can begin where Haft's own
 * lines do: enough spaces would otherwise move "Allow? [Y/n] y" to the left edge. Nothing is left out.
 */
export function wrapped(text: string, width: number): string {
  if (!(width > MARK.length * 4) || width === Number.POSITIVE_INFINITY) return text;
  return text
    .split("\n")
    .map((line) => (columnAfter(line, 0) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const rows: string[] = [];
  let row = "";
  let column = 0;
  /** The position to break the row: after a space near the edge. */
  let end = 0;
  for (const [piece] of line.matchAll(PIECES)) {
    if (columnAfter(piece, column) > width) {
      const at = end || row.length;
      rows.push(row.slice(0, at));
      row = MARK + row.slice(at);
      column = columnAfter(row, 0);
      end = 0;
    }
    row += piece;
    column = columnAfter(piece, column);
    if (piece === " " && column > width - NEAR_EDGE) end = row.length;
  }
  return [...rows, row].join("\n");
}

/** Colours and links, which take no space, and characters. */
const COLOUR = "\\u001b\\[[\\d;]*m";
const LINK = "\\u001b\\]8;;[^\\u001b]*\\u001b\\\\";
const PIECES = new RegExp(`${COLOUR}|${LINK}|.`, "gsu");

/** The cursor column after a text. Too far is safer than not far enough: a line that ends early misleads nobody. */
export function columnAfter(text: string, column: number): number {
  let at = column;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === "\t") at += 8 - (at % 8);
    else if (piece.length <= 2) at += (piece.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
  }
  return at;
}
