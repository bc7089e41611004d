import { ANY_WORD, isOneWord, mayBeOption, only, type Value } from "../word/value.ts";

/** The argument of an option: nothing, a text, any text even with a dash in front (`any`), a path that is read (`tree`: with everything
 * below), perhaps a glued text (`maybe`), or a text unless the option is last (`last`). */
type OptionArgument = "none" | "text" | "any" | "last" | "read" | "tree" | "maybe";

/** The known options of a command. An unlisted option makes the command unreadable. */
export interface OptionTable {
  readonly names: ReadonlyMap<string, OptionArgument>;
  /** `-20` is an option. */
  readonly number: boolean;
  /** One dash begins a whole name, as in `-noout`: letters are not bundled, and a text is never glued. */
  readonly whole?: true;
  /** Letters are bundled, but a text is always the next word: further options follow the letter. */
  readonly apart?: true;
}

/**
 * Reads the notation of the tables: names separated by blanks, `-abc` for single letters without argument, `--name`, and after a name `=`
 * for a text, `=<` for a path that is read, `=<<` for a tree, `[=]` for an optional glued text, `=!` for any text, `=?` for a text that may
 * be missing at the end; `-#` for `-20`.
 */
export function options(...lines: readonly string[]): OptionTable {
  const names = new Map<string, OptionArgument>();
  let number = false;
  for (const token of lines.join(" ").split(" ").filter(Boolean)) {
    const [, name = "", mark = ""] = /^(--?[^=[]+)(\[=\]|=<<|=<|=\?|=!|=)?$/.exec(token) ?? [];
    if (name === "-#") number = true;
    else if (name.startsWith("--")) names.set(name, argumentOf[mark] ?? "none");
    else if (mark !== "") names.set(name, argumentOf[mark] ?? "none");
    else for (const letter of name.slice(1)) names.set(`-${letter}`, "none");
  }
  return { names, number };
}

/** The same notation for programs that read the text of a letter only from the next word, as `tree` does. */
export const apartOptions = (...lines: readonly string[]): OptionTable => ({ ...options(...lines), apart: true });

/** The same notation for programs whose long names have one dash: `-noout -in=<`. */
export function wholeOptions(...lines: readonly string[]): OptionTable {
  const names = new Map<string, OptionArgument>();
  for (const token of lines.join(" ").split(" ").filter(Boolean)) {
    const [, name = "", mark = ""] = /^(--?[^=]+)(=<|=)?$/.exec(token) ?? [];
    names.set(name, argumentOf[mark] ?? "none");
  }
  return { names, number: false, whole: true };
}

const argumentOf: Readonly<Record<string, OptionArgument>> = {
  "=": "text",
  "=<": "read",
  "=<<": "tree",
  "=?": "last",
  "=!": "any",
  "[=]": "maybe",
};

/** Arguments sorted by a table. */
export interface Parsed {
  /** Options in order; an option without a value has none here. */
  readonly given: readonly { readonly name: string; readonly takes: OptionArgument; readonly value?: Value }[];
  readonly operands: readonly Value[];
  has(...names: readonly string[]): boolean;
}

interface ParseRules {
  /** Options may follow operands, as in GNU programs. Default true. */
  readonly permute?: boolean;
  /**
   * No option of the program, known or not, writes or executes. So a wildcard that expands to an option is harmless: without a slash it can
   * at most read a file in the folder.
   */
  readonly harmless?: boolean;
  /** Also harmless if an option takes the next word as its text and an operand is missing: no folder is read instead. */
  readonly bare?: boolean;
  /** Options usually have their text in the same word: a next word that could be an option is refused. */
  readonly gluing?: boolean;
  /** No option or operand of the program names a file either: any word is allowed. */
  readonly blind?: boolean;
}

/** Sorts arguments as getopt_long does, or says why that is not certain. Abbreviated long options are not accepted. */
export function parseOptions(args: readonly Value[], table: OptionTable, rules: ParseRules = {}): Parsed | string {
  const given: { name: string; takes: OptionArgument; value?: Value }[] = [];
  const operands: Value[] = [];
  let at = 0;
  while (at < args.length) {
    const value = args[at++]!;
    const word = only(value);
    if (word === undefined) {
      const glued = gluedText(value, table, rules.bare === true && !args.slice(at).some(isEnd));
      if (glued !== undefined) {
        given.push(...glued);
        continue;
      }
      if (mayBeOption(value) && !rules.blind && !(rules.harmless && value.kind === "name")) {
        return "An argument that is not known before the run may be an option.";
      }
      operands.push(value);
      if (rules.permute === false) break;
      continue;
    }
    if (word === "--") break;
    if (!word.startsWith("-") || word === "-") {
      operands.push(value);
      if (rules.permute === false) break;
      continue;
    }
    const found = table.whole ? whole(word, table) : word.startsWith("--") ? long(word, table) : cluster(word, table);
    if (typeof found === "string") return found;
    given.push(...found.given);
    const last = found.wants;
    if (last === undefined) continue;
    const next = args[at++];
    if (next === undefined && last.takes === "last") {
      given.push({ ...last });
      break;
    }
    if (next === undefined) return `${last.name} lacks its argument.`;
    if (isSuspicious(next, last.takes, rules)) return `The word after ${last.name} may be an option.`;
    if (!isOneWord(next)) return `The argument of ${last.name} is not known before the run.`;
    given.push({ ...last, value: next });
  }
  operands.push(...args.slice(at));
  return { given, operands, has: (...names) => given.some((one) => names.includes(one.name)) };
}

/** Whether a program would see an option here if, unlike in our table, it takes no argument. Negative numbers are common. */
function isSuspicious(next: Value, takes: OptionArgument, rules: ParseRules): boolean {
  // A word that begins with a number is never an option with an effect.
  const isCounted = next.kind === "one" && /^\d+[,:]/.test(next.like ?? "");
  if (takes === "any" || isCounted || !mayBeOption(next)) return false;
  const word = only(next);
  return word === undefined ? rules.gluing === true : !/^-\d+$/.test(word) || rules.gluing === true;
}

interface Found {
  readonly given: readonly { name: string; takes: OptionArgument; value?: Value }[];
  /** The option whose argument is the next word. */
  readonly wants?: { name: string; takes: OptionArgument };
}

function whole(word: string, table: OptionTable): Found | string {
  const takes = table.names.get(word);
  if (takes === undefined) return unknownOption(word);
  return takes === "none" ? { given: [{ name: word, takes }] } : { given: [], wants: { name: word, takes } };
}

function long(word: string, table: OptionTable): Found | string {
  const cut = word.indexOf("=");
  const name = cut < 0 ? word : word.slice(0, cut);
  const takes = table.names.get(name);
  if (takes === undefined) return unknownOption(name);
  if (cut < 0)
    return takes === "none" || takes === "maybe" ? { given: [{ name, takes }] } : { given: [], wants: { name, takes } };
  if (takes === "none") return `${name} takes no argument.`;
  return { given: [{ name, takes, value: { kind: "text", texts: [word.slice(cut + 1)] } }] };
}

function cluster(word: string, table: OptionTable): Found | string {
  if (table.number && /^-\d+$/.test(word)) return { given: [{ name: "-#", takes: "none" }] };
  const given: { name: string; takes: OptionArgument; value?: Value }[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`;
    const takes = table.names.get(name);
    if (takes === undefined) return unknownOption(name);
    const glued = word.slice(at + 1);
    if (takes === "none") {
      given.push({ name, takes });
      continue;
    }
    if (takes !== "maybe" && glued === "") return { given, wants: { name, takes } };
    if (table.apart) return `Behind ${name} there may be further options.`;
    given.push({ name, takes, ...(glued === "" ? {} : { value: { kind: "text", texts: [glued] } as const }) });
    break;
  }
  return { given };
}

/**
 * `-d"$x"`, `--sep="$x"`, `--include=*.ts`: the option is known, its text is not; a wildcard may repeat it. `mayBeBare`: it is harmless if
 * the text is empty, and the next word becomes the text.
 */
function gluedText(value: Value, table: OptionTable, mayBeBare: boolean): Found["given"] | undefined {
  const head = value.kind === "one" ? value.head : value.kind === "name" ? (value.heads[0] ?? "") : "";
  if (value.kind === "name" && value.heads.length !== 1) return undefined;
  if (!head.startsWith("-") || table.whole || table.apart) return undefined;
  // If the glued text is empty, the next word is the text: `awk -F"$x" A B` may run B.
  const isBare = value.kind === "one" && value.like === undefined && !head.startsWith("--");
  if (isBare && !mayBeBare && isWanting(cluster(head, table))) return undefined;
  const found = head.startsWith("--") ? (head.includes("=") ? long(head, table) : "") : cluster(`${head}?`, table);
  if (typeof found === "string" || found.wants !== undefined) return undefined;
  const last = found.given.at(-1);
  if (last === undefined || (last.takes !== "text" && last.takes !== "any" && last.takes !== "maybe")) return undefined;
  return [...found.given.slice(0, -1), { ...last, value: ANY_WORD }];
}

const isEnd = (value: Value): boolean => only(value) === "--";
const isWanting = (found: Found | string): boolean => typeof found !== "string" && found.wants !== undefined;

const unknownOption = (name: string): string => `The option ${name} is not among those known to change nothing.`;
