import { fail } from "@haft/core/tool";
import { withPlaces } from "./bundle-server.ts";

/** A value that a plugin asks its user for. */
export interface PluginOption {
  readonly key: string;
  readonly type: OptionType;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  /** It is a secret: it is not shown, and never becomes a part of a prompt. */
  readonly sensitive: boolean;
  /** It is a list. */
  readonly multiple: boolean;
  readonly default?: OptionValue;
  readonly min?: number;
  readonly max?: number;
  /** The only values that it may have. */
  readonly choices?: readonly string[];
}

export type OptionValue = string | number | boolean | readonly string[];

/** Answers by key. */
export type OptionValues = Readonly<Record<string, OptionValue>>;

const TYPES = ["string", "number", "boolean", "directory", "file"] as const;
type OptionType = (typeof TYPES)[number];

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const MOST_OPTIONS = 100;

/** Reads `userConfig` of a plugin, or `user_config` of a bundle. An entry that cannot be used is reported. */
export function optionsIn(written: unknown, root: string, problems: string[]): readonly PluginOption[] {
  if (!isPlain(written)) return [];
  return Object.entries(written)
    .slice(0, MOST_OPTIONS)
    .flatMap(([key, entry]): readonly PluginOption[] => {
      if (!KEY.test(key) || !isPlain(entry)) {
        problems.push(`its option ${JSON.stringify(key)} cannot be read`);
        return [];
      }
      const { title, description, min, max } = entry;
      const type = TYPES.find((one) => one === entry.type) ?? "string";
      const place = (text: unknown) => (typeof text === "string" ? withPlaces(text, root) : text);
      const given = Array.isArray(entry.default) ? entry.default.map(place) : place(entry.default);
      return [
        {
          ...{ key, type, title: textOf(title) ?? key },
          ...{ required: entry.required === true, sensitive: entry.sensitive === true },
          multiple: entry.multiple === true,
          ...(textOf(description) === undefined ? {} : { description: textOf(description)! }),
          ...(isValue(given) ? { default: given } : {}),
          ...(typeof min === "number" ? { min } : {}),
          ...(typeof max === "number" ? { max } : {}),
        },
      ];
    });
}

/**
 * The value that a person typed. The items of a list are separated by commas.
 *
 * @throws HaftError `invalid_input` for a value that does not fit.
 */
export function parseOption(option: PluginOption, text: string): OptionValue {
  const refuse = (why: string): never =>
    fail("invalid_input", `${option.key} cannot be ${JSON.stringify(option.sensitive ? "…" : text)}: ${why}.`);
  if (option.choices && !option.choices.includes(text)) refuse(`it is one of ${option.choices.join(", ")}`);
  if (option.multiple)
    return text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  if (option.type === "boolean")
    return (
      /^(?:true|yes|y|1)$/i.test(text) || (/^(?:false|no|n|0)$/i.test(text) ? false : refuse("it is true or false"))
    );
  if (option.type !== "number") return text;
  const value = Number(text);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = option;
  if (text.trim() === "" || !Number.isFinite(value)) refuse("it is a number");
  return value < min || value > max ? refuse(`it is a number from ${min} to ${max}`) : value;
}

/** The answers, and the defaults of options that have none. */
export const withDefaults = (options: readonly PluginOption[], given: OptionValues): OptionValues =>
  Object.fromEntries(
    options.flatMap((option) => {
      const value = given[option.key] ?? option.default;
      return value === undefined ? [] : [[option.key, value]];
    }),
  );

/** The options that need an answer and have none. */
export const missingOptions = (options: readonly PluginOption[], values: OptionValues): readonly PluginOption[] =>
  options.filter(({ key, required, default: given }) => required && (values[key] ?? given ?? "") === "");

/** The environment variables in which programs of a plugin find the answers. */
export const optionEnvironment = (values: OptionValues): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [variableOf(key), plain(value)]));

/** The name of the variable for an option. */
export const variableOf = (key: string): string =>
  `CLAUDE_PLUGIN_OPTION_${key.replaceAll(/[^A-Za-z0-9_]/g, "_").toUpperCase()}`;

const REFERENCE = /\$\{user_config\.([A-Za-z0-9_.-]+)\}/g;

/** Puts answers in place of `${user_config.KEY}`. A key without one becomes nothing. */
export const withAnswers = (text: string, values: OptionValues): string =>
  text.replaceAll(REFERENCE, (_, key: string) => plain(Object.hasOwn(values, key) ? values[key]! : ""));

/** Arguments with answers. One that is nothing but the reference to a list becomes one argument for each item. */
export const argumentsWithAnswers = (args: readonly string[], values: OptionValues): readonly string[] =>
  args.flatMap((arg) => {
    const [, key = ""] = new RegExp(`^${REFERENCE.source}$`).exec(arg) ?? [];
    const value = values[key];
    return Array.isArray(value) ? (value as readonly string[]) : [withAnswers(arg, values)];
  });

/** A shell command that takes answers from its environment: as text they could end a quote, and be seen in a list of processes. */
export const withVariables = (command: string): string =>
  command.replaceAll(REFERENCE, (_, key: string) => `\${${variableOf(key)}}`);

/** The answers that may be shown to a model. */
export const openAnswers = (options: readonly PluginOption[], values: OptionValues): OptionValues =>
  Object.fromEntries(
    options.flatMap(({ key, sensitive }) => (sensitive || values[key] === undefined ? [] : [[key, values[key]]])),
  );

const plain = (value: OptionValue): string => (Array.isArray(value) ? value.join(",") : String(value));
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 500) : undefined;
const isValue = (value: unknown): value is OptionValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
