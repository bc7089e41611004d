import { paintSpans, type Span, wrapSpans } from "../../draw/rich/spans.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import type { KeyPress } from "../input/key-press.ts";

/** Most lines of one choice. */
const MOST_LINES = 3;

/** One choice of a list. */
export interface ListItem {
  readonly label: string;
  /** A key that chooses it at once. */
  readonly key?: string;
  readonly about?: string;
  /** Chosen already, in a list that allows several. */
  readonly isChecked?: boolean;
}

/** A list from which a person chooses with arrows, numbers or keys. */
export class ChoiceList {
  items: readonly ListItem[];
  at: number;

  constructor(items: readonly ListItem[], at = 0) {
    this.items = items;
    this.at = Math.max(0, Math.min(at, items.length - 1));
  }

  /** The index that a key chooses; `undefined` if it chooses nothing yet. */
  key({ input, key }: KeyPress): number | undefined {
    if (key.upArrow || (key.ctrl && input === "p")) this.#move(-1);
    else if (key.downArrow || (key.ctrl && input === "n")) this.#move(1);
    else if (key.pageUp) this.#move(-5);
    else if (key.pageDown) this.#move(5);
    else if (key.return) return this.items.length > 0 ? this.at : undefined;
    else if (!key.ctrl && !key.meta) {
      const chosen = this.items.findIndex((item) => item.key !== undefined && item.key === input);
      if (chosen >= 0) return chosen;
    }
    return undefined;
  }

  #move(by: number): void {
    const { length } = this.items;
    if (length > 0)
      this.at =
        by === 1 || by === -1 ? (this.at + by + length) % length : Math.max(0, Math.min(length - 1, this.at + by));
  }

  /** The items around the chosen one, at most so many lines. */
  lines(style: Style, most: number): readonly string[] {
    const first = Math.max(0, Math.min(this.at - Math.floor(most / 2), this.items.length - most));
    return this.items.slice(first, first + most).flatMap((item, index) => this.#line(item, first + index, style));
  }

  #line({ label, key, about, isChecked }: ListItem, at: number, style: Style): string[] {
    const isChosen = at === this.at;
    const mark = isChosen ? paint(style, "accent", "❯") : " ";
    const head = key === undefined ? "" : `${key}  `;
    const box = isChecked === undefined ? "" : isChecked ? "☒ " : "☐ ";
    const spans: Span[] = [{ text: `${box}${oneLine(label)}`, ...(isChosen ? { inks: ["bold"] } : {}) }];
    if (about !== undefined) spans.push({ text: `  ${oneLine(about)}`, inks: ["dim"] });
    return wrapSpans(spans, Math.max(8, style.width - head.length - 2))
      .slice(0, MOST_LINES)
      .map(
        (row, line) =>
          `${line === 0 ? mark : " "} ${paint(style, "dim", line === 0 ? head : " ".repeat(head.length))}${paintSpans(row, style)}`,
      );
  }
}
