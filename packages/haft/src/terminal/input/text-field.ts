/** A text with a cursor. Immutable. The cursor counts UTF-16 units and never stands within a character. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

export const emptyField: TextField = { text: "", cursor: 0 };

/** A field with the cursor at its end. */
export const fieldOf = (text: string): TextField => ({ text, cursor: text.length });

export const inserted = ({ text, cursor }: TextField, more: string): TextField => ({
  text: text.slice(0, cursor) + more + text.slice(cursor),
  cursor: cursor + more.length,
});

/** The places to which an edit reaches from the cursor. */
export type Reach = "left" | "right" | "wordLeft" | "wordRight" | "lineStart" | "lineEnd";

const SEGMENTS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function reachOf({ text, cursor }: TextField, to: Reach): number {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  switch (to) {
    case "left":
      // A line is enough to find the last character, and a text may be long.
      return cursor - (lastOf(before.slice(-64)).length || 0);
    case "right":
      return cursor + (firstOf(after.slice(0, 64)).length || 0);
    case "wordLeft":
      return before.replace(/[\p{L}\p{N}_]+\W*$|\W+$/u, "").length;
    case "wordRight":
      return cursor + (/^\W*[\p{L}\p{N}_]*/u.exec(after)?.[0].length ?? 0);
    case "lineStart":
      return before.lastIndexOf("\n") + 1;
    case "lineEnd": {
      const end = after.indexOf("\n");
      return end < 0 ? text.length : cursor + end;
    }
  }
}

const firstOf = (text: string): string => SEGMENTS.segment(text)[Symbol.iterator]().next().value?.segment ?? "";
const lastOf = (text: string): string => [...SEGMENTS.segment(text)].at(-1)?.segment ?? "";

export const moved = (field: TextField, to: Reach): TextField => ({ ...field, cursor: reachOf(field, to) });

/** The field without the text between the cursor and a place. */
export function removed(field: TextField, to: Reach): TextField {
  const at = reachOf(field, to);
  const [from, end] = at < field.cursor ? [at, field.cursor] : [field.cursor, at];
  return { text: field.text.slice(0, from) + field.text.slice(end), cursor: from };
}

/** A line up or down in the same column; `undefined` if there is none. */
export function vertical(field: TextField, by: -1 | 1): TextField | undefined {
  const start = reachOf(field, "lineStart");
  const column = field.cursor - start;
  if (by < 0) {
    if (start === 0) return undefined;
    const above = field.text.lastIndexOf("\n", start - 2) + 1;
    return { ...field, cursor: Math.min(above + column, start - 1) };
  }
  const end = reachOf(field, "lineEnd");
  if (end === field.text.length) return undefined;
  const next = field.text.indexOf("\n", end + 1);
  return { ...field, cursor: Math.min(end + 1 + column, next < 0 ? field.text.length : next) };
}
