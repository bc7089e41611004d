import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import { type Completable, completableAt, completed, matching, type Proposal } from "../input/completion.ts";
import { type History, searchBack } from "../input/history.ts";
import { editedField, isCtrl, isNewLine, type KeyPress } from "../input/key-press.ts";
import { PastedTexts, type Typed } from "../input/pasted-texts.ts";
import { emptyField, fieldOf, inserted, type TextField, vertical } from "../input/text-field.ts";
import { ChoiceList } from "./choice-list.ts";
import { markedField } from "./field-lines.ts";

export interface PromptInputOptions {
  readonly history: History;
  proposals(place: Completable): readonly Proposal[];
  submit(typed: Typed): void;
}

/** Descriptions begin in one column, unless a name is longer than this. */
const MOST_NAME = 24;

const PLACEHOLDER = "Type a task · / commands · @ files · ! shell";

/** The line in which a person writes: several lines, pasted texts, history, completion. */
export class PromptInput {
  readonly #options: PromptInputOptions;
  readonly #pasted = new PastedTexts();
  #field: TextField = emptyField;
  /** The position in the history, and what was typed before. */
  #recall: { readonly at: number; readonly draft: string } | undefined;
  #search: { readonly word: TextField; readonly at: number; readonly draft: string } | undefined;
  #menu:
    | { readonly list: ChoiceList; readonly proposals: readonly Proposal[]; readonly place: Completable }
    | undefined;

  constructor(options: PromptInputOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#field.text;
  }

  /** Whether Escape closes something here. */
  get isBusy(): boolean {
    return this.#menu !== undefined || this.#search !== undefined;
  }

  /** Proposes again, after more proposals have come. */
  propose(): void {
    this.#change(this.#field);
  }

  set(text: string): void {
    this.#change(fieldOf(text));
    this.#menu = undefined;
  }

  paste(text: string): void {
    const plain = text.replaceAll(/\r\n?/g, "\n");
    this.#change(inserted(this.#field, this.#pasted.insert(plain, this.#field.text.trim() === "")));
  }

  /** Whether the key meant something. */
  key(press: KeyPress): boolean {
    if (this.#search) return this.#searchKey(press);
    if (this.#menu && this.#menuKey(press)) return true;
    if (isCtrl(press, "r")) {
      this.#search = { word: emptyField, at: this.#options.history.entries.length, draft: this.#field.text };
      return true;
    }
    if (press.key.return && !isNewLine(press)) return this.#enter();
    if (press.key.upArrow) return this.#vertical(-1);
    if (press.key.downArrow) return this.#vertical(1);
    const next = editedField(this.#field, press);
    if (!next) return false;
    this.#change(next);
    return true;
  }

  #change(field: TextField): void {
    this.#field = field;
    const place = completableAt(field);
    const proposals = place ? matching(place.word, this.#options.proposals(place)) : [];
    const isWhole = proposals.length === 1 && proposals[0]?.text === place?.word;
    const mark = place?.kind === "command" ? "/" : "";
    const widest = Math.min(MOST_NAME, Math.max(0, ...proposals.map(({ text }) => mark.length + text.length)));
    this.#menu =
      place && proposals.length > 0 && !isWhole
        ? {
            place,
            proposals,
            list: new ChoiceList(
              proposals.map(({ text, about }) => ({
                ...(about === undefined
                  ? { label: `${mark}${text}` }
                  : { label: `${mark}${text}`.padEnd(widest), about }),
              })),
            ),
          }
        : undefined;
  }

  #menuKey(press: KeyPress): boolean {
    const { list, proposals, place } = this.#menu!;
    const { key } = press;
    if (key.escape) this.#menu = undefined;
    else if (key.upArrow || key.downArrow) list.key(press);
    else if ((key.tab && !key.shift) || (key.return && place.kind !== "argument")) {
      const isNamed = proposals[list.at]!.text === place.word;
      this.#change(completed(this.#field, place, proposals[list.at]!));
      this.#menu = undefined;
      // A command from the menu needs no second Enter, and a file that is typed out needs none to choose it.
      if (key.return && (place.kind === "command" || isNamed)) this.#enter();
    } else return false;
    return true;
  }

  #enter(): boolean {
    const { text, cursor } = this.#field;
    if (text.endsWith("\\") && cursor === text.length) {
      this.#change(fieldOf(`${text.slice(0, -1)}\n`));
      return true;
    }
    const typed = this.#pasted.take(text);
    this.#field = emptyField;
    this.#menu = undefined;
    this.#recall = undefined;
    this.#options.history.add(typed.text.trim());
    this.#options.submit(typed);
    return true;
  }

  /** Moves in the text, and beyond its first or last line in the history. */
  #vertical(by: -1 | 1): boolean {
    const inText = vertical(this.#field, by);
    if (inText) {
      this.#field = inText;
      return true;
    }
    const { entries } = this.#options.history;
    const at = (this.#recall?.at ?? entries.length) + by;
    if (at < 0 || at > entries.length || (by > 0 && !this.#recall)) return true;
    const draft = this.#recall?.draft ?? this.#field.text;
    this.#field = fieldOf(entries[at] ?? draft);
    this.#recall = at === entries.length ? undefined : { at, draft };
    this.#menu = undefined;
    return true;
  }

  #searchKey(press: KeyPress): boolean {
    const { history } = this.#options;
    const { word, at, draft } = this.#search!;
    const found = (next: TextField, before: number): void => {
      const hit = searchBack(history, next.text, before);
      this.#search = { word: next, at: hit < 0 ? at : hit, draft };
      if (hit >= 0) this.#field = fieldOf(history.entries[hit]!);
    };
    if (press.key.escape || isCtrl(press, "c") || isCtrl(press, "g")) {
      this.#search = undefined;
      this.set(draft);
    } else if (isCtrl(press, "r")) found(word, at);
    else if (press.key.return || press.key.tab || press.key.rightArrow) this.#search = undefined;
    else {
      const next = editedField(word, press);
      if (next) found(next, history.entries.length);
    }
    return true;
  }

  lines(style: Style, most: number): readonly string[] {
    const isShell = this.#field.text.startsWith("!");
    const field =
      this.#field.text === "" && !this.#search
        ? [
            `${paint(style, "accent", "❯")} \u001b[7m \u001b[27m${paint(style, "dim", PLACEHOLDER.slice(0, Math.max(0, style.width - 5)))}`,
          ]
        : markedField(this.#field, isShell ? "!" : "❯", style, Math.max(1, most - (this.#menu ? 3 : 0)));
    const search = this.#search
      ? [paint(style, "dim", `  history: ${oneLine(this.#search.word.text)}▏ Ctrl-R older · Enter takes it`)]
      : [];
    const left = most - field.length - search.length;
    return [...field, ...search, ...(this.#menu && left > 0 ? this.#menu.list.lines(style, left).slice(0, left) : [])];
  }
}
