import { resolve } from "node:path";
import { nearest } from "@haft/core/schema";
import { type OptionValue, type OptionValues, type PluginOption, parseOption } from "@haft/plugins";
import { oneLine } from "../../../draw/sanitize.ts";
import { asksForLine } from "../../agent-file/file-change.ts";
import { UsageError } from "../../exit-code.ts";

export interface AnswerOptions {
  /** `KEY=VALUE`, as they were typed. */
  readonly given: readonly string[];
  /** The answers so far. */
  readonly before: OptionValues;
  readonly cwd: string;
  readonly home: string;
  /** The flag that takes an answer. */
  readonly flag: string;
}

/**
 * The answers to the options of a plugin: those of the command line, then those so far, then a person's at the terminal.
 *
 * @throws UsageError for an answer to no option, and where a required one is missing and nobody is there.
 */
export async function answersFor(options: readonly PluginOption[], how: AnswerOptions): Promise<OptionValues> {
  const answers: Record<string, OptionValue> = { ...how.before, ...typed(options, how) };
  for (const option of options) {
    if (answers[option.key] !== undefined) continue;
    const text = await asksForLine(questionFor(option), option.sensitive);
    if (text !== undefined && text.trim() !== "") answers[option.key] = valueFor(option, text, how);
    else if (option.required && option.default === undefined)
      throw new UsageError(
        `It needs ${option.key}: ${oneLine(option.title)}.`,
        `Give it with ${how.flag} ${option.key}=VALUE, or run the command in a terminal.`,
      );
  }
  return Object.fromEntries(options.flatMap(({ key }) => (answers[key] === undefined ? [] : [[key, answers[key]]])));
}

function typed(options: readonly PluginOption[], how: AnswerOptions): OptionValues {
  return Object.fromEntries(
    how.given.map((pair) => {
      const [, key, text] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(pair) ?? [];
      if (key === undefined || text === undefined)
        throw new UsageError(`${how.flag} takes KEY=VALUE, not ${JSON.stringify(oneLine(pair))}.`);
      const option = options.find((one) => one.key === key);
      if (option) return [key, valueFor(option, text, how)];
      const keys = options.map((one) => one.key);
      const close = nearest(key, keys);
      throw new UsageError(
        `It has no option ${key}.`,
        close ? `Did you mean ${close}?` : `Its options: ${keys.join(", ") || "none"}.`,
      );
    }),
  );
}

/** Paths are resolved from where the command was typed. */
function valueFor(option: PluginOption, text: string, { cwd, home }: AnswerOptions): OptionValue {
  const value = parseOption(option, text);
  if (option.type !== "directory" && option.type !== "file") return value;
  const placed = (path: string) => resolve(cwd, path.replace(/^~(?=\/|$)/, home));
  return typeof value === "string" ? placed(value) : Array.isArray(value) ? value.map(placed) : value;
}

function questionFor({ key, title, description, required, default: given, sensitive }: PluginOption): string {
  const more = description === undefined ? "" : `\n  ${oneLine(description)}`;
  const hint = given !== undefined && !sensitive ? ` [${oneLine(String(given))}]` : required ? "" : " (may be empty)";
  return `${oneLine(title)} (${key})${more}\n${key}${hint}:`;
}
