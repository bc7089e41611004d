import { counted } from "@haft/core/tool";

/** A line that a person has typed, with its pasted texts. */
export interface Typed {
  readonly text: string;
  /** It starts with pasted text, so it is never a command, whatever it looks like. */
  readonly beginsPasted: boolean;
}

/** Line breaks and control characters, which a line cannot show. */
const NOT_SHOWN = /(?!\t)\p{Cc}/u;

/** Most characters of a pasted text that a line shows. */
const SHOWN_CHARS = 1_000;

/** The texts pasted into the current line. A text that a line cannot show, or a long one, appears as a mark. */
export class PastedTexts {
  #count = 0;
  readonly #marks = new Map<string, string>();
  #head: string | undefined;

  /** The text or mark to insert in the line for a pasted text. `isFirst`: the line is empty before it. */
  insert(pasted: string, isFirst: boolean): string {
    const text = pasted.replace(/\n+$/, "");
    const shown = text.length > SHOWN_CHARS || NOT_SHOWN.test(text) ? this.#mark(text) : text;
    if (isFirst && shown !== "") this.#head = shown;
    return shown;
  }

  /** The line with its marks replaced by the texts. Resets for the next line. */
  take(line: string): Typed {
    const beginsPasted = this.#head !== undefined && line.trimStart().startsWith(this.#head.trimStart());
    let text = line;
    for (const [mark, whole] of this.#marks) text = text.replaceAll(mark, () => whole);
    this.#marks.clear();
    this.#head = undefined;
    return { text, beginsPasted };
  }

  #mark(text: string): string {
    const lines = text.split("\n").length;
    const size = lines > 1 ? counted(lines, "line") : `${text.length.toLocaleString("en")} characters`;
    const mark = `[Pasted text ${++this.#count}: ${size}]`;
    this.#marks.set(mark, text);
    return mark;
  }
}
