import { resolve } from "node:path";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearest } from "@haft/core/schema";
import { UsageError } from "./exit-code.ts";

/** The options that every command takes. */
export interface CommonOptions {
  readonly cwd: string;
  readonly mode?: string;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly settings?: string;
  readonly withoutUserSettings: boolean;
  readonly trust: boolean;
  readonly session?: string;
  /** Wait for an answer from elsewhere if nobody is at the terminal. */
  readonly wait: boolean;
  readonly json: boolean;
  /** The names that the model calls tools by. */
  readonly dialect?: string;
  /** The queue whose workers run calls: its address, or the path of a file with its options. */
  readonly queue?: string;
  /** The file with the key of the queue. */
  readonly keyFile?: string;
}

/** A command's own options: with a value, with values in any number, or a switch. */
export type OwnOptions = Readonly<Record<string, "string" | "list" | "boolean">>;

export interface Parsed<Own extends OwnOptions> {
  readonly common: CommonOptions;
  readonly own: {
    readonly [K in keyof Own]?: Own[K] extends "string" ? string : Own[K] extends "list" ? readonly string[] : true;
  };
  readonly words: readonly string[];
}

const commonConfig = {
  cwd: { type: "string" },
  mode: { type: "string" },
  allow: { type: "string", multiple: true },
  ask: { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  settings: { type: "string" },
  "no-user-settings": { type: "boolean" },
  trust: { type: "boolean" },
  session: { type: "string" },
  wait: { type: "boolean" },
  dialect: { type: "string" },
  queue: { type: "string" },
  "key-file": { type: "string" },
  json: { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

/** Every command's options that take a value, including those of a prompt. */
export const WITH_VALUE: ReadonlySet<string> = new Set([
  ...Object.entries(commonConfig).flatMap(([name, { type }]) => (type === "string" ? [name] : [])),
  ...["model", "agent", "max-turns", "max-cost", "record", "remote", "remote-node"],
]);

/**
 * Parses the arguments of a command.
 *
 * @throws UsageError for an unknown option (with the nearest), a missing value or too many words.
 */
export function readOptions<const Own extends OwnOptions>(
  args: readonly string[],
  own: Own,
  maxWords: number,
): Parsed<Own> {
  const ownConfig: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(own).map(([name, type]) => [
      name,
      type === "list" ? { type: "string" as const, multiple: true } : { type },
    ]),
  );
  const options: ParseArgsOptionsConfig = { ...commonConfig, ...ownConfig };
  const { values, positionals } = parseStrictly(args, options);
  if (positionals.length > maxWords) {
    const extra = positionals[maxWords]!;
    throw new UsageError(`Unexpected argument "${extra}".`, "Quote arguments that contain spaces, such as JSON.");
  }
  return {
    common: commonFrom(values as Record<string, string | string[] | boolean | undefined>),
    own: Object.fromEntries(
      Object.keys(own).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
    ) as Parsed<Own>["own"],
    words: positionals,
  };
}

function commonFrom(values: Readonly<Record<string, string | string[] | boolean | undefined>>): CommonOptions {
  const one = (name: string) => values[name] as string | undefined;
  const many = (name: string) => (values[name] as string[] | undefined) ?? [];
  const [mode, settings, session, dialect] = [one("mode"), one("settings"), one("session"), one("dialect")];
  const [queue, keyFile] = [one("queue"), one("key-file")];
  return {
    cwd: resolve(one("cwd") ?? "."),
    allow: many("allow"),
    ask: many("ask"),
    deny: many("deny"),
    withoutUserSettings: values["no-user-settings"] === true,
    trust: values.trust === true,
    wait: values.wait === true,
    json: values.json === true,
    ...(mode === undefined ? {} : { mode }),
    // A relative file is resolved from where the command was typed, not from --cwd.
    ...(settings === undefined ? {} : { settings: resolve(settings) }),
    ...(session === undefined ? {} : { session }),
    ...(queue === undefined ? {} : { queue: queue.includes("://") ? queue : resolve(queue) }),
    ...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }),
    ...(dialect === undefined ? {} : { dialect }),
  };
}

function parseStrictly(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (thrown) {
    const { code, message } = thrown as Error & { code?: string };
    const unknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(-{1,2}[^']*)'/.exec(message)?.[1] : undefined;
    if (unknown === undefined) throw new UsageError(`${message.replace(/\.?$/, ".")}`, "See haft --help.");
    const close = nearest(unknown.replace(/^-+/, ""), Object.keys(options));
    throw new UsageError(`Unknown option ${unknown}.`, close ? `Did you mean --${close}?` : "See haft --help.");
  }
}
