import { headsOf, only, text, type Value } from "../word/value.ts";

/** The argument of an option: nothing, a text, perhaps a glued text, a file that is written, or a folder for written files. */
type LooseArgument = "none" | "text" | "maybe" | "file" | "folder";

/** Arguments as the program most likely reads them. */
export interface LooselyParsed {
  readonly given: readonly { readonly name: string; readonly takes: LooseArgument; readonly value?: Value }[];
  readonly operands: readonly Value[];
  /** How many operands come after `--`. */
  readonly behindDashes: number;
  has(...names: readonly string[]): boolean;
}

const argumentOf: Readonly<Record<string, LooseArgument>> = {
  "": "none",
  "=": "text",
  "[=]": "maybe",
  "=>": "file",
  "=>>": "folder",
};

type LooseTable = ReadonlyMap<string, LooseArgument>;

/** The notation of the readers' tables, with `=>` for a file that is written and `=>>` for a folder. Flags need not be listed. */
const tableOf = (notation: string): LooseTable =>
  new Map(
    notation.split(" ").flatMap((token): [string, LooseArgument][] => {
      const [, name, mark = ""] = /^(--?[^=[]+)(\[=\]|=>>|=>|=)?$/.exec(token) ?? [];
      return name === undefined ? [] : [[name, argumentOf[mark] ?? "none"]];
    }),
  );

const tables = new Map<string, LooseTable>();

function tableFor(notation: string): LooseTable {
  const table = tables.get(notation) ?? tableOf(notation);
  tables.set(notation, table);
  return table;
}

/**
 * Sorts arguments as far as a table goes. This proves nothing: an unlisted option counts as a flag, and long names may be abbreviated, as
 * programs allow. With `strict` options end at the first operand.
 */
export function parseLoosely(args: readonly Value[], notation: string, strict = false): LooselyParsed {
  const table = tableFor(notation);
  const given: { name: string; takes: LooseArgument; value?: Value }[] = [];
  const operands: Value[] = [];
  let behindDashes = 0;
  for (let at = 0; at < args.length; at++) {
    const word = only(args[at]);
    const head = word ?? headsOf(args[at]!)[0] ?? "";
    if (word === "--") {
      behindDashes = args.length - at - 1;
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!head.startsWith("-") || head === "-") {
      operands.push(args[at]!);
      if (!strict) continue;
      operands.push(...args.slice(at + 1));
      break;
    }
    for (const { name, takes, glued } of optionsIn(head, table)) {
      const isApart = glued === undefined && takes !== "none" && takes !== "maybe";
      const value = isApart && word !== undefined ? args[++at] : gluedValue(glued, word !== undefined);
      given.push({ name, takes, ...(value === undefined ? {} : { value }) });
    }
  }
  return { given, operands, behindDashes, has: (...names) => given.some(({ name }) => names.includes(name)) };
}

/** `-o"$dir"/x`: only the beginning of the text is known. */
const gluedValue = (glued: string | undefined, isWhole: boolean): Value | undefined =>
  glued === undefined ? undefined : isWhole ? text(glued) : { kind: "one", head: glued };

interface Option {
  readonly name: string;
  readonly takes: LooseArgument;
  readonly glued?: string;
}

function optionsIn(word: string, table: LooseTable): readonly Option[] {
  const cut = word.indexOf("=");
  const named = cut < 0 ? word : word.slice(0, cut);
  const glued = cut < 0 ? {} : { glued: word.slice(cut + 1) };
  const whole = named.length > 2 ? fullName(named, table) : undefined;
  if (whole !== undefined) return [{ name: whole, takes: table.get(whole)!, ...glued }];
  if (word.startsWith("--")) return [{ name: named, takes: "none", ...glued }];
  const found: Option[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`;
    const takes = table.get(name) ?? "none";
    const rest = word.slice(at + 1);
    found.push({ name, takes, ...(takes === "none" || rest === "" ? {} : { glued: rest }) });
    if (takes !== "none") break;
  }
  return found;
}

/** The listed name that is meant: among the matching ones, one that writes. */
function fullName(named: string, table: LooseTable): string | undefined {
  if (table.has(named)) return named;
  if (!named.startsWith("--")) return undefined;
  const meant = [...table.keys()].filter((name) => name.startsWith(named));
  return meant.find((name) => table.get(name) === "file" || table.get(name) === "folder") ?? meant[0];
}
