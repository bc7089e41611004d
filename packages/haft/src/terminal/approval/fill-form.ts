import { type Form, type FormField, fieldProblem, formChoices } from "@haft/core/approval";
import { nearest } from "@haft/core/schema";
import { oneLine } from "../../draw/sanitize.ts";

/** Input and output for a person who fills in a form. `read` gives `undefined` if they have left. */
export interface FormDialogue {
  read(prompt: string): Promise<string | undefined>;
  tell(text: string): void;
}

/** Values of a form by field. */
export type Filled = Readonly<Record<string, unknown>>;

const CLEAR = "-";
const EMPTY = '""';
/** Enter alone leaves a field unset, but an empty text is a deliberate value. */
const needed = ({ type = "string" }: FormField): string =>
  type === "string" ? `is required; type ${EMPTY} for an empty text` : "is needed";

/**
 * Asks for each field, shows the values, and asks whether to send them. Returns `"no"` if not, and `undefined` if the
 * person has left. When a person goes through the form again, it suggests their earlier values.
 */
export async function fillForm(
  form: Form,
  proposed: Filled,
  dialogue: FormDialogue,
): Promise<Filled | "no" | undefined> {
  let filled = proposed;
  for (;;) {
    const next = await fillOnce(form, filled, dialogue);
    if (next === undefined) return undefined;
    filled = next;
    const lines = Object.entries(filled).map(
      ([name, value]) => `  ${oneLine(name)} = ${oneLine(JSON.stringify(value))}\n`,
    );
    dialogue.tell(lines.length === 0 ? "  (nothing filled in)\n" : lines.join(""));
    const said = (await dialogue.read("Send this? [Y/n/e] "))?.trim().toLowerCase();
    if (said === undefined) return undefined;
    if (["", "y", "yes"].includes(said)) return filled;
    if (["n", "no"].includes(said)) return "no";
    // Any other answer repeats the form, because a form sent by mistake cannot be withdrawn.
  }
}

async function fillOnce({ properties, required = [] }: Form, before: Filled, { read, tell }: FormDialogue) {
  const filled: [string, unknown][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    const kept = Object.hasOwn(before, name) ? before[name] : undefined;
    for (;;) {
      const typed = await read(promptOf(name, field, kept, isRequired));
      if (typed === undefined) return undefined;
      const line = typed.trim();
      if (line === "" && kept === undefined && !isRequired) break;
      if (line === CLEAR && kept !== undefined && !isRequired) break;
      const value = line === "" && kept !== undefined ? kept : fieldValue(field, line);
      const problem = line === "" && kept === undefined ? needed(field) : fieldProblem(field, value);
      if (problem === undefined) {
        filled.push([name, value]);
        break;
      }
      tell(`  ${oneLine(name)} ${oneLine(problem)}.${didYouMean(field, line)}\n`);
    }
  }
  return Object.fromEntries(filled);
}

/**
 * A typed line as the field's value. If it does not parse, it stays a text, so that the check can report the problem.
 */
export function fieldValue(field: FormField, line: string): unknown {
  const choices = formChoices(field);
  const choice = (text: string): string =>
    choices?.find(({ value }) => value === text)?.value ??
    choices?.find(({ title }) => title.toLowerCase() === text.toLowerCase())?.value ??
    text;
  switch (field.type) {
    case "boolean":
      if (/^(y|yes|true)$/i.test(line)) return true;
      return /^(n|no|false)$/i.test(line) ? false : line;
    case "integer":
    case "number":
      return line === "" || Number.isNaN(Number(line)) ? line : Number(line);
    case "array":
      return line === "" ? [] : line.split(",").map((part) => choice(part.trim()));
    default:
      return line === EMPTY ? "" : choice(line);
  }
}

/** The prompt of a field: its question, the possible answers, and the default for Enter. */
function promptOf(name: string, field: FormField, kept: unknown, isRequired: boolean): string {
  const choices = formChoices(field)?.map(({ value, title }) => (value === title ? value : `${value} = ${title}`));
  const several = field.type === "array" ? "several, separated by commas: " : "";
  const own = field.other ? ", or your own answer" : "";
  const kind = choices ? several + choices.join(", ") + own : field.type === "boolean" ? "yes or no" : "";
  const enter =
    kept === undefined
      ? isRequired
        ? ""
        : " [nothing]"
      : ` [${typedAs(kept)}]${isRequired ? "" : ` (${CLEAR} for nothing)`}`;
  return `${oneLine(`  ${field.title ?? name}${kind === "" ? "" : ` (${kind})`}${enter}:`)} `;
}

/** A value in the form in which a person would type it. */
function typedAs(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function didYouMean(field: FormField, line: string): string {
  const choices = field.other ? undefined : formChoices(field);
  const close =
    choices &&
    nearest(
      line,
      choices.flatMap(({ value, title }) => [value, title]),
    );
  return close === undefined ? "" : ` Did you mean ${oneLine(close)}?`;
}
