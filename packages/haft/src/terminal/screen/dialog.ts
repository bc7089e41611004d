import type { Style } from "../../draw/style.ts";
import type { KeyPress } from "../input/key-press.ts";

/** A part of the screen that takes the keys until it is done. */
export interface Dialog {
  /** At most so many lines. */
  lines(style: Style, room: number): readonly string[];
  key(press: KeyPress): void;
  /** Text that a person has pasted. */
  paste?(text: string): void;
  /** Text to add to the scrollback, once, before the dialog is drawn: it is longer than the screen. */
  above?(style: Style, room: number): string | undefined;
}

/** The end of a block, if it is longer than its room. */
export const lastLines = (lines: readonly string[], room: number): readonly string[] =>
  lines.length <= room ? lines : lines.slice(-Math.max(0, room));
