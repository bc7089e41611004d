/** What the other end can show. */
export interface Style {
  readonly color: boolean;
  /** Columns; infinite for a pipe. */
  readonly width: number;
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
