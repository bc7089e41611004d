import { counted } from "@haft/core/tool";

/** A line that somebody has typed, with what was pasted into it. */
export interface Typed {
  readonly text: string;
  /** It begins with pasted text: whatever that looks like, it is no command. */
  readonly beginsPasted: boolean;
}

/** Line breaks, and what would steer the terminal: a line cannot show them. */
const NOT_SHOWN = /(?!\t)\p{Cc}/u;

/** The texts that were pasted into the line that is being typed. One that a line cannot show stands there as a mark. */
export class PastedTexts {
  #count = 0;
  readonly #marks = new Map<string, string>();
  #head: string | undefined;

  /** What stands in the line for a pasted text. `isFirst`: nothing stands before it. */
  insert(pasted: string, isFirst: boolean): string {
    const text = pasted.replace(/\n+$/, "");
    const shown = NOT_SHOWN.test(text) ? this.#mark(text) : text;
    if (isFirst && shown !== "") this.#head = shown;
    return shown;
  }

  /** The line with the texts in the place of their marks. The next line begins anew. */
  take(line: string): Typed {
    const beginsPasted = this.#head !== undefined && line.trimStart().startsWith(this.#head.trimStart());
    let text = line;
    for (const [mark, whole] of this.#marks) text = text.replaceAll(mark, () => whole);
    this.#marks.clear();
    this.#head = undefined;
    return { text, beginsPasted };
  }

  #mark(text: string): string {
    const mark = `[Pasted text ${++this.#count}: ${counted(text.split("\n").length, "line")}]`;
    this.#marks.set(mark, text);
    return mark;
  }
}
