import { programOutput } from "../sanitize.ts";
import { columnAfter, piecesOf } from "../style.ts";

/** A model's text as it arrives: line by line, wrapped between words. */
export class SpokenText {
  readonly #width: () => number;
  #buffer = "";
  #isCode = false;
  #hasBegun = false;

  constructor(width: () => number) {
    this.#width = width;
  }

  /** The complete lines so far; "" if there are none. Leading blank lines are dropped. */
  add(text: string): string {
    this.#buffer += text;
    const lines = this.#buffer.split("\n");
    const last = lines.pop() ?? "";
    const whole = lines.map((line) => this.#line(line)).join("");
    const [full, rest] = this.#isCode ? ["", last] : this.#full(last);
    this.#buffer = rest;
    return whole + full;
  }

  /** The rest. The next text starts over. */
  end(): string {
    const rest = this.#buffer.trimEnd() === "" ? "" : this.#line(this.#buffer);
    this.#buffer = "";
    this.#isCode = false;
    this.#hasBegun = false;
    return rest;
  }

  /** Wraps a complete line. Code is left unchanged. */
  #line(line: string): string {
    if (!this.#hasBegun && line.trim() === "") return "";
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const isCode = this.#isCode || isFence;
    if (isFence) this.#isCode = !this.#isCode;
    this.#hasBegun = true;
    const shown = programOutput(line, false);
    if (isCode) return `${shown}\n`;
    const [full, rest] = broken(shown, this.#width());
    return `${full}${rest.trimEnd()}\n`;
  }

  /** The full rows of an unfinished line, and its rest. */
  #full(line: string): readonly [string, string] {
    if (/^\s*[`~]{1,3}/.test(line)) return ["", line];
    const [full, rest] = broken(programOutput(line, false), this.#width());
    if (full !== "") this.#hasBegun = true;
    return [full, full === "" ? line : rest];
  }
}

/** Splits a line into rows that fit, between words if possible; the last row has no line break. */
function broken(line: string, width: number): readonly [string, string] {
  let rows = "";
  let rest = line;
  while (Number.isFinite(width) && isWider(rest, width)) {
    const room = fitting(rest, width);
    const blank = rest.lastIndexOf(" ", room);
    const cut = rest.slice(0, blank + 1).trim() === "" ? room : blank;
    rows += `${rest.slice(0, cut).trimEnd()}\n`;
    rest = rest.slice(cut).trimStart();
  }
  return [rows, rest];
}

/** Looks no further than the edge: a line may have a megabyte. */
function isWider(line: string, width: number): boolean {
  let column = 0;
  for (const [piece] of piecesOf(line)) {
    column = columnAfter(piece, column);
    if (column > width) return true;
  }
  return false;
}

/** The number of UTF-16 units that fit in a row, at least one character. */
function fitting(line: string, width: number): number {
  let column = 0;
  let units = 0;
  for (const character of line) {
    column = columnAfter(character, column);
    if (column > width && units > 0) return units;
    units += character.length;
  }
  return units;
}

/** Wraps a text of Haft's own between words. */
export const inWords = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => broken(line, width).join(""))
    .join("\n");
