import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import type { KeyPress } from "../input/key-press.ts";
import { ChoiceList, type ListItem } from "./choice-list.ts";
import { type Dialog, lastLines } from "./dialog.ts";

/** Most items of a list that are shown at a time. */
const MOST = 8;

export interface PickerOptions<T> {
  readonly title: string;
  readonly hint: string;
  readonly items: readonly T[];
  item(value: T): ListItem;
  /** More about the chosen item, such as a diff. */
  preview?(value: T, style: Style): string;
  /** `undefined`: nothing was chosen. */
  done(value: T | undefined): void;
}

/** A list with a preview. */
export class Picker<T> implements Dialog {
  readonly #options: PickerOptions<T>;
  readonly #list: ChoiceList;

  constructor(options: PickerOptions<T>) {
    this.#options = options;
    this.#list = new ChoiceList(options.items.map((value) => options.item(value)));
  }

  lines(style: Style, room: number): readonly string[] {
    const { title, hint, items, preview } = this.#options;
    const head = [paint(style, "bold", oneLine(title))];
    const list = this.#list.lines(style, Math.max(1, Math.min(MOST, room - 2)));
    const foot = [paint(style, "dim", `  ${hint}`)];
    const value = items[this.#list.at];
    const left = room - head.length - list.length - foot.length;
    const drawn =
      value !== undefined && preview && left > 2
        ? [
            "",
            ...preview(value, style)
              .split("\n")
              .slice(0, left - 1),
          ]
        : [];
    return lastLines([...head, ...list, ...drawn, ...foot], room);
  }

  key(press: KeyPress): void {
    const { items, done } = this.#options;
    const isLeaving = press.key.escape || (press.key.ctrl && press.input === "c");
    const chosen = isLeaving ? undefined : this.#list.key(press);
    if (isLeaving || chosen !== undefined) done(chosen === undefined ? undefined : items[chosen]);
  }
}
