import { completeUpTo, openFence, partOf } from "../../draw/rich/markdown.ts";
import type { RowMoment } from "../../draw/rows/call-row.ts";
import { drawRow, drawText } from "../../draw/rows/view-row.ts";
import type { Style } from "../../draw/style.ts";
import { groupRows, isEnded, type SessionView, type ShownRow } from "../../view/index.ts";

/** Text that is complete and belongs to the scrollback. */
export interface Printed {
  readonly id: number;
  readonly text: string;
}

/** Most characters of words that are drawn again with each frame. */
const LIVE_CHARS = 4_000;

/** The printed part of a row. */
interface Partial {
  readonly id: string;
  readonly chars: number;
  /** It ends inside a block, which goes on. */
  readonly isCut: boolean;
  /** The line that opens the block of code in which it ends. */
  readonly fence: string;
}

/** Moves rows to the scrollback as soon as nothing about them changes any more, in their order. */
export class Scrollback {
  readonly #printed: Printed[] = [];
  /** The rows before this one are printed. */
  #done = 0;
  /** The printed part of the row that is being written. */
  #partial: Partial | undefined;
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
    let rest = this.#rest(row);
    for (let before = ""; rest.kind === "text" && rest.text.length > LIVE_CHARS && rest.text !== before; ) {
      before = rest.text;
      rest = this.#printPart(row, style);
    }
    const isCut = this.#partial?.isCut;
    this.#partial = undefined;
    if (rest.kind === "text" && rest.text.trim() === "") return;
    this.#put(drawRow(rest, style, moment), kindOf(row), isCut);
    this.#onPrinted(row);
  }

  /** Words that are being written enter the scrollback block by block, and long blocks in parts. */
  #printPart(row: ShownRow, style: Style): ShownRow {
    const rest = this.#rest(row);
    if (rest.kind !== "text") return rest;
    const complete = completeUpTo(rest.text);
    const end = complete || partOf(rest.text, LIVE_CHARS);
    const text = rest.text.slice(0, end);
    if (text.trim() === "") return rest;
    const { chars = 0, fence = "", isCut } = this.#partial ?? {};
    this.#put(drawText(text, style), "text", isCut);
    const isOpen = complete === 0;
    this.#partial = {
      ...{ id: rest.id, chars: chars + end - fence.length, isCut: isOpen },
      fence: isOpen ? openFence(text) : "",
    };
    return this.#rest(row);
  }

  #rest(row: ShownRow): ShownRow {
    if (row.kind !== "text" || this.#partial?.id !== row.id) return row;
    const { chars, fence } = this.#partial;
    return { ...row, text: `${fence}${row.text.slice(chars)}` };
  }

  #put(text: string, kind: "call" | "text", goesOn = false): void {
    const gap = goesOn || (this.#lastKind === "call" && kind === "call") ? "" : "\n";
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
