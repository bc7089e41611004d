import { isRevision, lineOf, MAYBE_NUMBER, only, PROGRAM_PLACE, text, type Value } from "../../word/value.ts";
import { options, parseOptions } from "../options.ts";
import { keepsPrivate } from "../output-files/private.ts";
import { endlessFrom } from "./endless.ts";
import { listedNames, type Names, passesOn } from "./listing.ts";
import { printedRevision } from "./revision.ts";

/** The output of a program, if known: file names, or a number. `piped` is its input from the previous command, if it reads that. */
export function printedBy(name: string, args: readonly Value[], piped: Value | undefined): Value | undefined {
  const endless = endlessFrom(name, args, piped);
  if (endless !== undefined) return endless;
  if (passesOn(name, args)) {
    if (isRevision(piped) || piped === NUMBERED) return piped;
    if (piped?.kind !== "name") return undefined;
    const left = filtered(piped, name, args);
    // Pieces of a name cannot appear alone with NUL filters, or with a filter that keeps the beginning.
    const isWhole =
      name === "head" ||
      args.some((value) => /^-([a-df-mo-zA-Z]*z|-zero-terminated|-null-data)/.test(only(value) ?? ""));
    return isWhole ? left : lineOf(left);
  }
  const part = PARTS[name];
  if (part !== undefined && args.length === 1) {
    const [path] = args;
    // The parent of a folder may contain anything.
    if (name === "dirname" && path?.kind === "one" && path.program === "file") return { ...path, program: "folder" };
    return partOf(part, path);
  }
  if (name === "cut") return piped === NUMBERED && isCutAtNumber(args) ? MAYBE_NUMBER : undefined;
  if (printsNumbered(name, args)) return NUMBERED;
  if (printsProgram(name, args)) return PROGRAM_PLACE;
  const revision = name === "git" ? printedRevision(args) : undefined;
  if (revision !== undefined) return revision;
  if (name === "date" && piped === undefined) {
    const date = printedDate(args);
    if (date !== undefined) return date;
  }
  const said = printedText(name, args);
  if (said !== undefined) return text(said);
  return listedNames(name, args) ?? (counts(name, args, piped) ? MAYBE_NUMBER : undefined);
}

/** Words that every shell prints as they are. */
const PLAIN_WORDS = /^[\w./:@%+,=][\w./:@%+,= -]*$/;

/** `echo a b`, `printf '%s\\n' a b`: no part is special to any shell, and no word is an option. */
function printedText(name: string, args: readonly Value[]): string | undefined {
  const [format, ...rest] = args.map(only);
  const isLines = name === "printf" && (format === "%s\\n" || (format === "%s" && rest.length === 1));
  const words = isLines ? rest : name === "echo" ? [format, ...rest] : [];
  const isPlain = words.length > 0 && words.every((word) => PLAIN_WORDS.test(word ?? ""));
  return isPlain ? words.join(isLines ? "\n" : " ") : undefined;
}

/** `dirname a/b` prints `a`, `basename a/b` prints `b`. */
const PARTS: Readonly<Record<string, ((path: string) => string) | undefined>> = {
  dirname: (path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : "."),
  basename: (path) => path.slice(path.lastIndexOf("/") + 1),
};

/** `which node` prints the path of the program for a name. */
const printsProgram = (name: string, args: readonly Value[]): boolean =>
  name === "which" && args.length === 1 && /^\w[\w.+-]*$/.test(only(args[0]) ?? "");

function partOf(part: (path: string) => string, path: Value | undefined): Value | undefined {
  const isPlain = path?.kind === "text" && path.texts.every((one) => /^\/?(?!-)[\w.-]+(\/[\w.-]+)*$/.test(one));
  return isPlain ? { kind: "text", texts: [...new Set(path.texts.map(part))] } : undefined;
}

/** The names that a filter for private ones leaves are such names. */
function filtered(piped: Names, name: string, args: readonly Value[]): Names {
  if (!/grep$|^rg$/.test(name) || args.some((value) => /^-[a-zA-Z]*v|^--invert/.test(only(value) ?? ""))) return piped;
  return args.some((value) => keepsPrivate(only(value) ?? "")) ? { ...piped, rest: "**/.env" } : piped;
}

/** Whether it prints the top of the current repository, or nothing. */
export const printsToplevel = (name: string, args: readonly Value[]): boolean =>
  name === "git" && args.length === 2 && only(args[0]) === "rev-parse" && only(args[1]) === "--show-toplevel";

/** Whether it prints the current folder of the shell. */
export const printsFolder = (argv: readonly Value[]): boolean =>
  /^pwd( -L)?$/.test(argv.map((value) => only(value) ?? "?").join(" "));

/** Lines that begin with their number. It counts in a pipeline only: as a word nothing is known of them. */
const NUMBERED: Value = { kind: "one", head: "" };
const NUMBERING = options("-nEFiwxo -e= -m= --line-number");

/** `grep -n PATTERN FILE`. For a binary file the line only names the file. */
function printsNumbered(name: string, args: readonly Value[]): boolean {
  const parsed = name === "grep" || name === "egrep" ? parseOptions(args, NUMBERING) : "";
  if (typeof parsed === "string" || !parsed.has("-n", "--line-number")) return false;
  const paths = parsed.operands.slice(parsed.has("-e") ? 0 : 1);
  return paths.length <= 1 && paths.every((path) => /^[\w./-]+$/.test(only(path) ?? ""));
}

const isCutAtNumber = (args: readonly Value[]): boolean =>
  /^(-d ?: -f ?1|-f ?1 -d ?:)$/.test(args.map((value) => only(value) ?? "?").join(" "));

const DATE = options("-u --utc --universal -d= --date=");
/** Begins with a digit: no year this near is negative. */
const DATE_SHAPE = /^\+%[YFymdHMSjGVTN](%[YFymdHMSjGVuTN]|[-_:.T])*$/;
const NEAR = /^(now|today|yesterday|tomorrow|[-+]?\d{1,3} ?(hour|day|week|month|year)s?( ago)?)$/;

/** `date +%F`: numbers with dashes and similar signs between them. */
function printedDate(args: readonly Value[]): Value | undefined {
  const parsed = parseOptions(args, DATE);
  if (typeof parsed === "string" || parsed.operands.length !== 1) return undefined;
  const shape = only(parsed.operands[0]) ?? "";
  const isNear = parsed.given.every(({ value }) => value === undefined || NEAR.test(only(value) ?? ""));
  if (!isNear || !DATE_SHAPE.test(shape) || (shape.length < 4 && shape !== "+%F" && shape !== "+%T")) return undefined;
  const like = shape.slice(1).replaceAll("%F", "0-0-0").replaceAll("%T", "0:0:0").replace(/%./g, "0");
  return { kind: "one", head: "", tame: true, perhaps: true, like };
}

const WC = options("-clmLw --bytes --chars --lines --words --max-line-length");
const GREP = options("-cEFivwxqs -e=! --count --ignore-case --invert-match");
const BLANKS_OUT = /^( |\[:(space|blank):\]| ?\\n ?)$/;

/** Whether a program prints one number and nothing else. */
function counts(name: string, args: readonly Value[], piped: Value | undefined): boolean {
  switch (name) {
    case "wc": {
      const parsed = parseOptions(args, WC);
      return typeof parsed !== "string" && parsed.given.length === 1 && parsed.operands.length === 0;
    }
    case "grep":
    case "egrep": {
      const parsed = parseOptions(args, GREP);
      if (typeof parsed === "string" || !parsed.has("-c", "--count")) return false;
      const paths = parsed.operands.slice(parsed.has("-e") ? 0 : 1);
      return paths.length <= 1 && paths.every((path) => only(path) !== undefined);
    }
    case "nproc":
      return args.length === 0;
    case "tr":
      return piped?.kind === "number" && only(args[0]) === "-d" && BLANKS_OUT.test(only(args[1]) ?? "");
    case "date":
      // A time before 1970 is negative.
      return args.length === 1 && /^\+%[sYmdHMS]$/.test(only(args[0]) ?? "");
    case "stat":
      return args.length === 3 && /^-(c|-format=)$/.test(only(args[0]) ?? "") && /^%[sYXZ]$/.test(only(args[1]) ?? "");
    case "seq":
      return args.every((value) => value.kind === "number" || /^-?\d+$/.test(only(value) ?? ""));
    case "git":
      return only(args[0]) === "rev-list" && args.some((value) => only(value) === "--count");
    default:
      return false;
  }
}
