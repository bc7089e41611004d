import { grouped } from "../tool/index.ts";

/** The shape of a cut: the share of the space for the beginning of the text; the end gets the rest. */
export interface Shape {
  readonly head: number;
}

/** Programs print the important part at the end; most other results have it at the beginning. */
export const shapes = { head: { head: 1 }, terminal: { head: 0.2 } } as const satisfies Record<string, Shape>;

/** A text after the cut. */
export interface Cut {
  readonly text: string;
  /** Number of characters left out. */
  readonly omitted: number;
  /** The shown part, in words. */
  readonly shown: string;
}

/**
 * Keeps at most `limit` characters: the beginning, and the end if the shape wants it. Cuts at nearby line ends, never
 * inside a surrogate pair, and always shows something, even of one giant line.
 */
export function truncate(text: string, limit: number, shape: Shape = shapes.head): Cut {
  if (text.length <= limit) return { text, omitted: 0, shown: "all of it" };
  const headRoom = Math.floor(limit * shape.head);
  const head = text.slice(0, headEnd(text, headRoom));
  const tail = text.slice(tailStart(text, limit - headRoom));
  const omitted = text.length - head.length - tail.length;
  const parts = [head && `the first ${grouped(head.length)}`, tail && `the last ${grouped(tail.length)}`].filter(
    Boolean,
  );
  const shown = `${parts.join(" and ")} of ${grouped(text.length)} characters`;
  const mark = `[… ${grouped(omitted)} characters left out …]`;
  return { text: [head, mark, tail].filter(Boolean).join("\n"), omitted, shown };
}

function headEnd(text: string, room: number): number {
  const line = text.lastIndexOf("\n", room);
  const end = line > room * 0.8 ? line : room;
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function tailStart(text: string, room: number): number {
  if (room <= 0) return text.length;
  const earliest = text.length - room;
  const line = text.indexOf("\n", earliest);
  const start = line >= 0 && line < earliest + room * 0.2 ? line + 1 : earliest;
  return isLowSurrogate(text, start) ? start + 1 : start;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
