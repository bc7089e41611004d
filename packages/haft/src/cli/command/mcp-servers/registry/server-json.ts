import type { PluginOption } from "@haft/plugins";
import { isServerName } from "./source.ts";

export type Plain = Readonly<Record<string, unknown>>;

/** A `server.json`: a server of an MCP registry, with the ways in which it can be reached. */
export interface ServerJson {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly Plain[];
  readonly remotes: readonly Plain[];
  /** The registry no longer lists it. */
  readonly isGone: boolean;
  readonly isDeprecated: boolean;
}

/** Reads a server.json, or an entry of a registry that holds one. `undefined` for anything else. */
export function serverJsonIn(value: unknown): ServerJson | undefined {
  if (!isPlain(value)) return undefined;
  const written = isPlain(value.server) ? value.server : value;
  const { name, title, description, version } = written;
  if (typeof name !== "string" || !isServerName(name)) return undefined;
  const status = statusIn(value) ?? statusIn(written) ?? written.status;
  return {
    name,
    title: textOf(title),
    description: textOf(description),
    version: textOf(version),
    packages: listIn(written.packages),
    remotes: listIn(written.remotes),
    isGone: status === "deleted",
    isDeprecated: status === "deprecated",
  };
}

/** The status that a registry gives beside the server.json. */
function statusIn({ _meta }: Plain): unknown {
  if (!isPlain(_meta)) return undefined;
  return Object.values(_meta).find((one): one is Plain => isPlain(one) && typeof one.status === "string")?.status;
}

/** Answers by key, as text. */
export type Answers = Readonly<Record<string, string>>;

/** An input of a server.json as an option that a person answers. */
function optionOf(key: string, input: Plain): PluginOption {
  const { description, choices, default: given } = input;
  return {
    ...{ key, title: textOf(description) || key, multiple: false },
    type: input.format === "number" || input.format === "boolean" ? input.format : "string",
    required: input.isRequired === true,
    sensitive: input.isSecret === true,
    ...(typeof given === "string" && given !== "" ? { default: given } : {}),
    ...(Array.isArray(choices) && choices.length > 0 ? { choices: choices.map(String) } : {}),
  };
}

/** The options of an input: its variables if its value is given, else itself. */
export function optionsOfInput(key: string, input: Plain): readonly PluginOption[] {
  if (typeof input.value !== "string") return [optionOf(key, input)];
  const variables = isPlain(input.variables) ? input.variables : {};
  return Object.entries(variables).flatMap(([name, one]) =>
    isPlain(one) && typeof one.value !== "string" ? [optionOf(name, one)] : [],
  );
}

/** The text of an input. `undefined` where it has none, or one of its variables has none. */
export function textOfInput(key: string, input: Plain, answers: Answers): string | undefined {
  if (typeof input.value !== "string") return answerFor(key, answers);
  const variables = isPlain(input.variables) ? input.variables : {};
  return filledIn(input.value, variables, answers);
}

/** A text with its `{variables}`. Braces that name none stay. */
export function filledIn(text: string, variables: Plain, answers: Answers): string | undefined {
  let isWhole = true;
  const filled = text.replaceAll(/\{([\w.-]+)\}/g, (all, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isPlain(variable)) return all;
    const value = typeof variable.value === "string" ? variable.value : answerFor(name, answers);
    if (value === undefined) isWhole = false;
    return value ?? "";
  });
  return isWhole ? filled : undefined;
}

const answerFor = (key: string, answers: Answers): string | undefined =>
  Object.hasOwn(answers, key) ? answers[key] : undefined;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listIn = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.filter(isPlain) : []);
export const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);
