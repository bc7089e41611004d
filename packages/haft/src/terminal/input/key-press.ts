import type { Key } from "ink";
import { inserted, moved, removed, type TextField } from "./text-field.ts";

/** A key as the terminal reports it: typed characters, or a named key. */
export interface KeyPress {
  readonly input: string;
  readonly key: Partial<Key>;
}

export const isCtrl = ({ input, key }: KeyPress, letter: string): boolean => key.ctrl === true && input === letter;

/** Enter that begins a new line: with Shift, Alt or as Ctrl-J. */
export const isNewLine = (press: KeyPress): boolean =>
  (press.key.return === true && (press.key.shift === true || press.key.meta === true)) ||
  isCtrl(press, "j") ||
  press.input === "\n";

/** A field after an editing key; `undefined` if the key edits nothing. */
export function editedField(field: TextField, press: KeyPress): TextField | undefined {
  const { input, key } = press;
  const byWord = key.meta === true || key.ctrl === true;
  if (key.leftArrow) return moved(field, byWord ? "wordLeft" : "left");
  if (key.rightArrow) return moved(field, byWord ? "wordRight" : "right");
  if (key.home || isCtrl(press, "a")) return moved(field, "lineStart");
  if (key.end || isCtrl(press, "e")) return moved(field, "lineEnd");
  // Terminals send the same for Backspace and Delete; Ink calls it delete. A real Delete is rare.
  if (key.backspace || key.delete) return removed(field, byWord ? "wordLeft" : "left");
  if (isCtrl(press, "d")) return removed(field, "right");
  if (isCtrl(press, "u")) return removed(field, "lineStart");
  if (isCtrl(press, "k")) return removed(field, "lineEnd");
  if (isCtrl(press, "w")) return removed(field, "wordLeft");
  if (key.meta && input === "b") return moved(field, "wordLeft");
  if (key.meta && input === "f") return moved(field, "wordRight");
  if (isNewLine(press)) return inserted(field, "\n");
  if (key.ctrl || key.meta || key.escape || key.tab || key.return || key.upArrow || key.downArrow) return undefined;
  if (key.pageUp || key.pageDown || input === "") return undefined;
  return inserted(field, input);
}

/** The keys of one report: quick typing arrives as one text, in which Enter is a carriage return. */
export function pressesOf({ input, key }: KeyPress): readonly KeyPress[] {
  // Two Escapes in quick succession; tmux holds the first one back for half a second.
  if (key.escape && key.meta) return Array(2).fill({ input: "", key: { escape: true } });
  if (input.length < 2 || !input.includes("\r")) return [{ input, key }];
  const parts = input.split(/(\r)/).filter((part) => part !== "");
  return parts.map((part) => (part === "\r" ? { input: "", key: { return: true } } : { input: part, key }));
}
