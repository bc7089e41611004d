/** The display features of the other end. */
export interface Style {
  readonly color: boolean;
  /** Columns; infinite for a pipe. */
  readonly width: number;
  /** Whether the terminal supports links (OSC 8). */
  readonly links?: boolean;
  /** The base folder of shown paths. Without it they are shown unchanged. */
  readonly cwd?: string;
  /** The background of the terminal, if backgrounds and syntax colours are shown. */
  readonly theme?: Theme;
  /** A file with this image, for terminals that show no images. */
  readonly imageFile?: (image: { readonly data: string; readonly mediaType: string }) => string | undefined;
  /** Colours code, line by line; `undefined` for a language that it does not know. */
  readonly highlight?: (code: string, language: string) => readonly string[] | undefined;
  /** Draws Markdown; without it, its source is shown. */
  readonly markdown?: (text: string, style: Style) => string;
}

export type Theme = "dark" | "light";

/** No colours, no width: for pipes and for tests. */
export const PLAIN: Style = { color: false, width: Number.POSITIVE_INFINITY };

/** SGR parameters: on, off. */
const inks = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

/** Inks that depend on the background: SGR parameters on dark, on light, and off. */
const themed = {
  keyword: ["38;5;176", "38;5;91", 39],
  string: ["38;5;114", "38;5;28", 39],
  literal: ["38;5;215", "38;5;130", 39],
  name: ["38;5;75", "38;5;25", 39],
  type: ["38;5;80", "38;5;30", 39],
  comment: ["38;5;245", "38;5;243", 39],
  accent: ["38;5;111", "38;5;26", 39],
  added: ["48;5;22", "48;5;194", 49],
  removed: ["48;5;52", "48;5;224", 49],
  addedWord: ["48;5;28", "48;5;157", 49],
  removedWord: ["48;5;88", "48;5;217", 49],
} as const;

/** Inks that are too pale on a light background. */
const onLight: Partial<Record<keyof typeof inks, string>> = {
  ...{ green: "38;5;28", yellow: "38;5;130", cyan: "38;5;30" },
};

export type Ink = keyof typeof inks | keyof typeof themed;

const isPlain = (ink: Ink): ink is keyof typeof inks => Object.hasOwn(inks, ink);

/** Applies an ink, if inks are shown. The text must have been sanitised. */
export function paint(style: Style, ink: Ink, text: string): string {
  if (!style.color || text === "") return text;
  if (isPlain(ink)) {
    const [on, off] = inks[ink];
    return `\u001b[${(style.theme === "light" && onLight[ink]) || on}m${text}\u001b[${off}m`;
  }
  if (style.theme === undefined) return text;
  const [dark, light, off] = themed[ink];
  return `\u001b[${style.theme === "dark" ? dark : light}m${text}\u001b[${off}m`;
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

/** The characters of a text, and its colours and links. */
export const piecesOf = (text: string) => text.matchAll(PIECES);

/** The cursor column after a text. Too far is safer than not far enough: a line that ends early misleads nobody. */
export function columnAfter(text: string, column: number): number {
  let at = column;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === "\t") at += 8 - (at % 8);
    else if (piece.length <= 2) at += (piece.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
  }
  return at;
}

/** The text with spaces for tabs, for libraries that count a tab as nothing. */
export function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  let column = 0;
  return [...piecesOf(text)]
    .map(([piece]) => {
      const before = column;
      column = piece === "\n" ? 0 : columnAfter(piece, column);
      return piece === "\t" ? " ".repeat(column - before) : piece;
    })
    .join("");
}
