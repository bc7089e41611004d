import { visible } from "../../draw/sanitize.ts";
import { columnAfter, paint, type Style } from "../../draw/style.ts";
import type { TextField } from "../input/text-field.ts";

/** Most characters of a text that are drawn on each side of the cursor. */
const NEAR = 4000;

/** A field with its cursor, broken to the width: the lines around the cursor, at most so many. */
export function fieldLines({ text, cursor }: TextField, style: Style, most: number, indent = 2): readonly string[] {
  const width = Math.max(4, style.width - indent - 1);
  const from = Math.max(0, cursor - NEAR);
  const lines: string[] = [""];
  let column = 0;
  let cursorLine = 0;
  let at = from;
  const next = (): void => {
    lines.push("");
    column = 0;
  };
  const put = (shown: string, isCursor: boolean): void => {
    if (columnAfter(shown, column) > width) next();
    if (isCursor) cursorLine = lines.length - 1;
    lines[lines.length - 1] += isCursor ? `\u001b[7m${shown}\u001b[27m` : shown;
    column = columnAfter(shown, column);
  };
  for (const character of text.slice(from, cursor + NEAR)) {
    const isCursor = at === cursor;
    at += character.length;
    if (character === "\n") {
      if (isCursor) put(" ", true);
      next();
    } else put(character === "\t" ? "  " : visible(character), isCursor);
  }
  if (at <= cursor) put(" ", true);
  const first = Math.max(0, Math.min(cursorLine - Math.floor(most / 2), lines.length - most));
  return lines.slice(first, first + most);
}

/** A field behind a mark. */
export function markedField(field: TextField, mark: string, style: Style, most: number): readonly string[] {
  return fieldLines(field, style, most).map((line, at) => `${at === 0 ? paint(style, "accent", mark) : " "} ${line}`);
}
