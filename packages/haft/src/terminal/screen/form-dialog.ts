import { stripVTControlCharacters } from "node:util";
import {
  type Answer,
  type ApprovalRequest,
  type Form,
  type FormField,
  fieldProblem,
  formChoices,
} from "@haft/core/approval";
import { drawWholeQuestion } from "../../draw/question.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import { type Filled, fieldValue } from "../approval/fill-form.ts";
import { editedField, type KeyPress } from "../input/key-press.ts";
import { emptyField, fieldOf, inserted, type TextField } from "../input/text-field.ts";
import { ChoiceList, type ListItem } from "./choice-list.ts";
import type { Dialog } from "./dialog.ts";
import { markedField } from "./field-lines.ts";

const OTHER = "Something else…";

/** Fills in the form of a question, field by field. Nothing is sent before the person has seen all of it. */
export class FormDialog implements Dialog {
  readonly #request: ApprovalRequest;
  readonly #form: Form;
  readonly #answer: (answer: Answer) => void;
  readonly #names: readonly string[];
  #values: Filled;
  #at = 0;
  #list: ChoiceList | undefined;
  #text: TextField = emptyField;
  #isOther = false;
  #problem = "";

  constructor(request: ApprovalRequest & { readonly form: Form }, answer: (answer: Answer) => void) {
    this.#request = request;
    this.#form = request.form;
    this.#answer = answer;
    this.#names = Object.keys(this.#form.properties);
    this.#values = typeof request.input === "object" && request.input !== null ? (request.input as Filled) : {};
    // The input holds the questions as well; only fields of the form are values.
    this.#values = Object.fromEntries(Object.entries(this.#values).filter(([name]) => this.#names.includes(name)));
    this.#enter();
  }

  get #name(): string | undefined {
    return this.#names[this.#at];
  }
  get #field(): FormField | undefined {
    return this.#name === undefined ? undefined : this.#form.properties[this.#name];
  }

  get #title(): string {
    return oneLine(this.#field?.title ?? this.#name ?? "");
  }

  /** Prepares the widgets of the present field. */
  #enter(): void {
    const field = this.#field;
    this.#problem = "";
    this.#isOther = false;
    const value = this.#name === undefined ? undefined : (this.#values[this.#name] ?? field?.default);
    this.#text = fieldOf(value === undefined || typeof value === "object" ? "" : String(value));
    this.#list = field
      ? this.#listOf(field, value)
      : new ChoiceList([
          { label: "Send", key: "y" },
          { label: "Change it", key: "e" },
          { label: "Decline", key: "n" },
        ]);
  }

  #listOf(field: FormField, value: unknown): ChoiceList | undefined {
    if (field.type === "boolean")
      return new ChoiceList(
        [
          { label: "Yes", key: "y" },
          { label: "No", key: "n" },
        ],
        value === false ? 1 : 0,
      );
    const choices = formChoices(field);
    if (!choices) return undefined;
    const chosen = Array.isArray(value) ? value : [value];
    const items = choices.map(
      ({ value: one, title }, index): ListItem => ({
        label: title,
        ...(index < 9 ? { key: String(index + 1) } : {}),
        ...(field.type === "array" ? { isChecked: chosen.includes(one) } : {}),
      }),
    );
    const at = choices.findIndex(({ value: one }) => chosen.includes(one));
    return new ChoiceList(field.other ? [...items, { label: OTHER }] : items, at);
  }

  lines(style: Style, room: number): readonly string[] {
    const field = this.#field;
    const head = this.#names.length === 1 && this.#at === 0 ? [] : [this.#progress(style)];
    const about = field ? this.#about(field, style) : this.#summary();
    const body =
      this.#list && !this.#isOther
        ? this.#list.lines(style, Math.max(1, room - 6))
        : markedField(this.#text, "❯", style, 4);
    const problem = this.#problem === "" ? [] : [paint(style, "red", `  ${this.#problem}`)];
    const several = field?.type === "array" && !this.#isOther ? "Space chooses · " : "";
    const bottom = [
      ...body,
      ...problem,
      paint(style, "dim", `  ${several}Enter continues · Esc goes back or declines`),
    ];
    const left = Math.max(0, room - bottom.length - head.length - about.length);
    const question = drawWholeQuestion(this.#request, style).split("\n").slice(0, left);
    // The only field of a question is often the question itself.
    const said = question.map((line) => stripVTControlCharacters(line).replace(/^[\s│]+/, ""));
    const isSaid = head.length === 0 && about.length === 1 && said.includes(this.#title);
    return [...question, ...head, ...(isSaid ? [] : about), ...bottom].slice(-room);
  }

  #progress = (style: Style): string =>
    paint(
      style,
      "dim",
      this.#at < this.#names.length ? `  Field ${this.#at + 1} of ${this.#names.length}` : "  Send this?",
    );

  #about(field: FormField, style: Style): string[] {
    const needed = (this.#form.required ?? []).includes(this.#name ?? "")
      ? ""
      : paint(style, "dim", " (may stay empty)");
    const more = field.description === undefined ? [] : [paint(style, "dim", `  ${oneLine(field.description)}`)];
    return [`  ${paint(style, "bold", this.#title)}${needed}`, ...more];
  }

  #summary = (): string[] =>
    Object.entries(this.#values).map(([name, value]) => `  ${oneLine(name)} = ${oneLine(JSON.stringify(value))}`);

  paste(text: string): void {
    if (!this.#list || this.#isOther) this.#text = inserted(this.#text, text);
  }

  key(press: KeyPress): void {
    if (press.key.escape) {
      this.#back();
      return;
    }
    const field = this.#field;
    const list = this.#isOther ? undefined : this.#list;
    if (!list) {
      if (press.key.return && !press.key.shift && !press.key.meta) this.#take(this.#typed());
      else this.#text = editedField(this.#text, press) ?? this.#text;
      return;
    }
    const isSpace = field?.type === "array" && press.input === " ";
    const chosen = isSpace ? list.at : list.key(press);
    if (chosen === undefined) return;
    if (!field) this.#finish(chosen);
    else if (isSpace) this.#toggle(list, chosen);
    else if (list.items[chosen]?.label === OTHER) {
      this.#isOther = true;
      this.#text = emptyField;
    } else if (field.type === "boolean") this.#take(chosen === 0);
    else if (field.type === "array")
      press.key.return ? this.#take(this.#checked(field, list)) : this.#toggle(list, chosen);
    else this.#take(formChoices(field)?.[chosen]?.value);
  }

  #typed(): unknown {
    const text = this.#text.text;
    const field = this.#field!;
    if (this.#isOther && field.type === "array")
      return [...this.#checked(field, this.#list!), ...text.split(",").map((part) => part.trim())].filter(Boolean);
    return text === "" ? undefined : this.#isOther ? text : fieldValue(field, text);
  }

  #toggle(list: ChoiceList, at: number): void {
    list.items = list.items.map((item, index) => (index === at ? { ...item, isChecked: !item.isChecked } : item));
  }

  #checked = (field: FormField, list: ChoiceList): unknown[] =>
    (formChoices(field) ?? []).flatMap(({ value }, index) => (list.items[index]?.isChecked ? [value] : []));

  #take(value: unknown): void {
    const field = this.#field!;
    const name = this.#name!;
    const isRequired = (this.#form.required ?? []).includes(name);
    const problem = value === undefined ? (isRequired ? "is needed" : undefined) : fieldProblem(field, value);
    if (problem !== undefined) {
      this.#problem = oneLine(`${field.title ?? name} ${problem}.`);
      return;
    }
    const { [name]: _, ...others } = this.#values;
    this.#values = value === undefined ? others : { ...others, [name]: value };
    // A choice from a single list is seen as it is made.
    if (this.#names.length === 1 && this.#list) this.#send();
    else {
      this.#at += 1;
      this.#enter();
    }
  }

  #finish(chosen: number): void {
    if (chosen === 0) this.#send();
    else if (chosen === 2) this.#answer({ behavior: "deny" });
    else {
      this.#at = 0;
      this.#enter();
    }
  }

  #send = (): void => this.#answer({ behavior: "allow", input: this.#values });

  #back(): void {
    if (this.#isOther) this.#isOther = false;
    else if (this.#at === 0) this.#answer({ behavior: "deny" });
    else {
      this.#at -= 1;
      this.#enter();
    }
  }
}
