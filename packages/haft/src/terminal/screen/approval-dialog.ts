import { type Answer, type ApprovalRequest, isRisky } from "@haft/core/approval";
import { drawWholeQuestion, subjectLines } from "../../draw/question.ts";
import { paint, type Style } from "../../draw/style.ts";
import { type AnswerChoice, answerChoices } from "../approval/choice.ts";
import { type EditablePart, editablePart } from "../approval/editable.ts";
import { editedField, type KeyPress } from "../input/key-press.ts";
import { emptyField, inserted } from "../input/text-field.ts";
import { ChoiceList } from "./choice-list.ts";
import type { Dialog } from "./dialog.ts";
import { markedField } from "./field-lines.ts";

/** Milliseconds without a key after which a question takes keys, if somebody was typing when it came. */
export const PAUSE_MS = 400;

export interface ApprovalDialogOptions {
  readonly request: ApprovalRequest;
  /** Its place among the questions that wait, as "1 of 3". */
  readonly place: () => string;
  readonly now: () => number;
  /** When the person has last pressed a key. */
  readonly typedAt: number;
  answer(answer: Answer): void;
  /** Opens the editor; the answer follows from the changed text. */
  edit(part: EditablePart): void;
}

/** Asks whether a call may run. Keys that were meant for the prompt never answer it. */
export class ApprovalDialog implements Dialog {
  readonly #options: ApprovalDialogOptions;
  readonly #choices: readonly AnswerChoice[];
  readonly #list: ChoiceList;
  #feedback = emptyField;
  #isTelling = false;
  #armedAt: number;
  #isAbove = false;

  constructor(options: ApprovalDialogOptions) {
    const { request, now, typedAt } = options;
    this.#options = options;
    this.#choices = answerChoices(request);
    const no = this.#choices.findIndex(({ kind }) => kind === "deny");
    this.#list = new ChoiceList(this.#choices, isRisky(request) ? no : 0);
    // Only somebody who is typing has to pause.
    this.#armedAt = now() - typedAt < 1000 ? now() + PAUSE_MS : 0;
  }

  /** The whole question, once, as soon as it does not fit: then the scrollback has it. */
  above(style: Style, room: number): string | undefined {
    if (this.#isAbove) return undefined;
    const question = drawWholeQuestion(this.#options.request, style);
    this.#isAbove = question.split("\n").length + this.#listRoom(style) + 2 > room;
    return this.#isAbove ? question : undefined;
  }

  /** The lines of all choices and of the hint. */
  #listRoom(style: Style): number {
    return this.#list.lines(style, this.#choices.length).length + 1;
  }

  lines(style: Style, room: number): readonly string[] {
    const { request } = this.#options;
    const shown = this.#isAbove
      ? [...subjectLines(request, style), paint(style, "dim", "  The whole question is above.")]
      : drawWholeQuestion(request, style).split("\n");
    const most = Math.max(1, room - Math.min(shown.length, Math.max(1, room - this.#listRoom(style))) - 1);
    const bottom = this.#isTelling
      ? [
          // On the smallest screens the words that are written are worth more than the hint.
          ...(room < 3 ? [] : [paint(style, "dim", "  Say what to do instead. Enter sends, Escape goes back.")]),
          ...markedField(this.#feedback, "❯", style, 3),
        ]
      : [...this.#list.lines(style, most), this.#hint(style)];
    const left = Math.max(1, room - bottom.length);
    const gap = shown.length < left ? [""] : [];
    return [...shown.slice(0, left), ...gap, ...bottom].slice(0, Math.max(1, room));
  }

  #hint(style: Style): string {
    const place = this.#options.place();
    const keys =
      this.#armedAt > this.#options.now()
        ? "Keys work in a moment."
        : "↑↓ Enter · n then words: say what to do instead · Esc: no";
    return paint(style, "dim", `  ${place === "" ? "" : `${place} · `}${keys}`);
  }

  paste(text: string): void {
    if (this.#isTelling) this.#feedback = inserted(this.#feedback, text.replaceAll("\n", " "));
  }

  key(press: KeyPress): void {
    const { now } = this.#options;
    if (this.#armedAt > now()) {
      this.#armedAt = now() + PAUSE_MS;
      return;
    }
    if (this.#isTelling) this.#tell(press);
    else if (press.key.escape) this.#options.answer({ behavior: "deny" });
    else {
      const chosen = this.#choices[this.#list.key(press) ?? -1];
      if (chosen) this.#choose(chosen);
    }
  }

  #choose(choice: AnswerChoice): void {
    const part = choice.kind === "edit" ? editablePart(this.#options.request) : undefined;
    if (choice.kind === "tell") this.#isTelling = true;
    else if (part) this.#options.edit(part);
    else if (choice.answer) this.#options.answer(choice.answer);
  }

  #tell(press: KeyPress): void {
    if (press.key.escape) this.#isTelling = false;
    else if (press.key.return) {
      const message = this.#feedback.text.trim();
      this.#options.answer(message === "" ? { behavior: "deny" } : { behavior: "deny", message });
    } else this.#feedback = editedField(this.#feedback, press) ?? this.#feedback;
  }
}
