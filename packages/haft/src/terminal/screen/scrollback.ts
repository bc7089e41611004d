import { completeUpTo } from "../../draw/rich/markdown.ts";
import type { RowMoment } from "../../draw/rows/call-row.ts";
import { drawRow, drawText } from "../../draw/rows/view-row.ts";
import type { Style } from "../../draw/style.ts";
import { groupRows, isEnded, type SessionView, type ShownRow } from "../../view/index.ts";

/** Text that is complete and belongs to the scrollback. */
export interface Printed {
  readonly id: number;
  readonly text: string;
}

/** Moves rows to the scrollback as soon as nothing about them changes any more, in their order. */
export class Scrollback {
  readonly #printed: Printed[] = [];
  /** The rows before this one are printed. */
  #done = 0;
  /** The printed part of the row that is being written. */
  #partial: { readonly id: string; readonly chars: number } | undefined;
  #lastKind: "call" | "text" | "none" = "none";
  readonly #onPrinted: (row: ShownRow) => void;

  /** `onPrinted`: a row is complete, and in the scrollback. */
  constructor(onPrinted: (row: ShownRow) => void = () => {}) {
    this.#onPrinted = onPrinted;
  }

  /** Everything printed so far. */
  get printed(): readonly Printed[] {
    return this.#printed;
  }

  /** Leaves the rows of a long conversation out, except for the latest. Returns how many. */
  skip({ rows }: SessionView, kept: number): number {
    this.#done = Math.max(0, rows.length - kept);
    return this.#done;
  }

  /** Adds a text of Haft's own. */
  add(text: string): void {
    this.#put(text, "text");
  }

  /** Prints what is complete. Returns the rows that are not. */
  take(view: SessionView, style: Style, moment: RowMoment): readonly ShownRow[] {
    const { rows } = view;
    // A new conversation has begun.
    if (this.#done > rows.length) this.#done = 0;
    const shown = groupRows(rows.slice(this.#done));
    let at = 0;
    for (const row of shown) {
      if (!isFinal(row, view, shown[at + 1])) break;
      this.#print(row, style, moment);
      this.#done += row.kind === "group" ? row.calls.length : 1;
      at += 1;
    }
    const [head, ...rest] = shown.slice(at);
    return head ? [this.#printPart(head, style), ...rest] : [];
  }

  #print(row: ShownRow, style: Style, moment: RowMoment): void {
    const rest = this.#rest(row);
    this.#partial = undefined;
    if (rest.kind === "text" && rest.text.trim() === "") return;
    this.#put(drawRow(rest, style, moment), kindOf(row));
    this.#onPrinted(row);
  }

  /** Words that are being written enter the scrollback block by block. */
  #printPart(row: ShownRow, style: Style): ShownRow {
    const rest = this.#rest(row);
    if (rest.kind !== "text") return rest;
    const end = completeUpTo(rest.text);
    const text = rest.text.slice(0, end);
    if (text.trim() === "") return rest;
    this.#put(drawText(text, style), "text");
    this.#partial = { id: rest.id, chars: (this.#partial?.chars ?? 0) + end };
    return this.#rest(row);
  }

  #rest(row: ShownRow): ShownRow {
    if (row.kind !== "text" || this.#partial?.id !== row.id) return row;
    return { ...row, text: row.text.slice(this.#partial.chars) };
  }

  #put(text: string, kind: "call" | "text"): void {
    const gap = this.#lastKind === "call" && kind === "call" ? "" : "\n";
    this.#lastKind = kind;
    this.#printed.push({ id: this.#printed.length, text: `${gap}${text}` });
  }
}

export const kindOf = ({ kind }: ShownRow): "call" | "text" => (kind === "call" || kind === "group" ? "call" : "text");

/** Whether a row never changes again. Reads and searches wait for the next row, which may be one more of them. */
function isFinal(row: ShownRow, { status }: SessionView, next: ShownRow | undefined): boolean {
  const isLooking =
    row.kind === "group" || (row.kind === "call" && row.status === "ok" && (row.isRead || row.isSearch));
  if (isLooking && status === "working" && (next === undefined || isUndecided(next))) return false;
  if (row.kind === "group") return row.calls.every(isEnded);
  if (row.kind === "call") return isEnded(row);
  return !("isOpen" in row && row.isOpen);
}

/** A call that may or may not be read-only. */
const isUndecided = (row: ShownRow): boolean =>
  row.kind === "call" && (row.status === "writing" || row.status === "waiting");
