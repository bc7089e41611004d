/** What the other end can show. */
export interface Style {
  readonly color: boolean;
  /** Columns; infinite for a pipe. */
  readonly width: number;
  /** The terminal follows links (OSC 8). */
  readonly links?: boolean;
  /** The folder from which paths are shown. Without it they are shown as they are. */
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

/** A text in an ink, where inks are shown. The text must have been sanitised. */
export function paint(style: Style, ink: Ink, text: string): string {
  if (!style.color || text === "") return text;
  const [on, off] = inks[ink];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** What stands before the rest of a line that had no room. */
const MARK = "  ↪ ";

/** A break is made at a blank where there is one so close to the edge. */
const NEAR_EDGE = 24;

/**
 * Lines that fit a terminal. What has no room goes on behind a mark, so that nothing in a text can begin where Haft's own
 * lines do: blanks enough would bring "Allow? [Y/n] y" to the left edge. Nothing is left out.
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
  /** Where the row may be broken: behind a blank near the edge. */
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

/** Colours and links, which take no room, and characters. */
const COLOUR = "\\u001b\\[[\\d;]*m";
const LINK = "\\u001b\\]8;;[^\\u001b]*\\u001b\\\\";
const PIECES = new RegExp(`${COLOUR}|${LINK}|.`, "gsu");

/** Where the cursor stands behind a text. Rather too far than not far enough: a line that ends early lies to nobody. */
export function columnAfter(text: string, column: number): number {
  let at = column;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === "\t") at += 8 - (at % 8);
    else if (piece.length <= 2) at += (piece.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
  }
  return at;
}
