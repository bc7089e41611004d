import {
  ANY_WORD,
  ANY_WORDS,
  headsOf,
  isRevision,
  lineOf,
  listedIn,
  manyOf,
  oneOf,
  only,
  scattered,
  text,
  type Value,
  wordsIn,
} from "../../word/value.ts";
import { options, type Parsed, parseOptions } from "../options.ts";

/** Names of existing files below some places, as a program prints them line by line. */
export type Names = Value & { readonly kind: "name" };

const below = (roots: readonly Value[]): Names | undefined => {
  if (!roots.every((root) => root.kind === "text" || root.kind === "name")) return undefined;
  const heads = roots.flatMap(headsOf).map((head) => (head === "" || head.endsWith("/") ? head : `${head}/`));
  return { kind: "name", heads: heads.length === 0 ? [""] : [...new Set(heads)], rest: "*", single: true };
};

const GREP = options(
  "-rRnilLEFPvwzhsIZ -e= --include= --exclude= --exclude-dir= --recursive --files-with-matches --null",
);
const RG = options(
  "-lnFiwv0uS. -g= -t= -T= -e= --files --files-with-matches --hidden --glob= --type= --type-not= --no-ignore --null --sort=",
);
const FD = options(
  "-HIFgsi0a -e= -t= -d= -E= --hidden --no-ignore --type= --extension= --exclude= --max-depth= --glob --print0",
);
// Not -a: it lists the folder above.
const LS = options("-1AdrtSX");
const LS_FILES = options("-zcom -x= --cached --others --modified --exclude-standard --exclude= --full-name");

const DIFF_NAMES = options("-zwM --name-only --cached --staged --diff-filter= --relative --no-renames --merge-base");

const GIT_GREP = options("-lLzivwEFPGI -e= --files-with-matches --name-only --null --untracked --cached --full-name");
const LISTS_FILES = ["-l", "-L", "--files-with-matches", "--name-only"] as const;

/** `git grep -l x`, `git grep -l x -- src`: after two dashes come only paths. */
const onlyPattern = (args: readonly Value[], { operands, has }: Parsed): boolean => {
  const dashes = args.findIndex((value) => only(value) === "--");
  const paths = dashes < 0 ? 0 : args.length - dashes - 1;
  return operands.length - paths === (has("-e") ? 0 : 1);
};

const staysBelow = (value: Value): boolean =>
  value.kind === "name" || (value.kind === "text" && value.texts.every((one) => !/^:|^\.\.(\/|$)/.test(one)));

/** The names that a program prints, if it prints nothing else. `find` reports its own. */
export function listedNames(name: string, args: readonly Value[]): Names | undefined {
  if (name === "git") {
    const verb = only(args[0]) ?? "";
    const table = { "ls-files": LS_FILES, diff: DIFF_NAMES, grep: GIT_GREP }[verb];
    const parsed = table === undefined ? "" : parseOptions(args.slice(1), table);
    if (typeof parsed === "string" || (verb === "diff" && !parsed.has("--name-only"))) return undefined;
    // For a revision it prints the names with the revision in front.
    if (verb === "grep" && (!parsed.has(...LISTS_FILES) || !onlyPattern(args.slice(1), parsed))) return undefined;
    // `:/` means the whole repository: files above the folder are then printed as `../x`.
    if (verb !== "diff" && !parsed.operands.every(staysBelow)) return undefined;
    return below([]);
  }
  const table = { grep: GREP, egrep: GREP, rg: RG, fd: FD, ls: LS }[name];
  const parsed = table === undefined ? undefined : parseOptions(args, table, { harmless: true });
  if (parsed === undefined || typeof parsed === "string") return undefined;
  // A folder listing has bare names, whatever the folder.
  if (name === "ls") {
    const [folder, ...more] = parsed.operands;
    const names = below(folder === undefined ? [] : [{ kind: "text", texts: [""] }, ...parsed.operands]);
    // For several folders it also prints headings.
    const isOne = more.length === 0 && (folder === undefined || only(folder) !== undefined) && !parsed.has("-d");
    return names && isOne ? { ...names, listed: { folders: [only(folder) ?? "."] } } : names;
  }
  const lists = name === "fd" || parsed.has("-l", "-L", "--files", "--files-with-matches");
  const isBare = name !== "fd" && parsed.has("-e", "--files");
  return lists ? below(parsed.operands.slice(isBare ? 0 : 1)) : undefined;
}

/** Resolves the places of names from the folder of the command that printed them. Filtered names already have them. */
export function foundFrom(printed: Value | undefined, folders: readonly string[] = []): Value | undefined {
  if (printed?.kind !== "name" || printed.listed === undefined) return printed;
  const { listed, ...names } = printed;
  const found = folders.length === 0 ? undefined : listedIn(listed.folders, folders, listed.deep);
  return found === undefined ? names : { ...names, listed: found };
}

const PLAIN_FILTERS = /^(head|tail|sort|uniq|tac|shuf)$/;
const GREP_FILTER = options("-vEFiPwxz -e=");
const RG_FILTER = options("-vFiwxNS -e=");
const FILTER = options("-nruVfR0z -n= -# --lines= --reverse --unique --version-sort --zero-terminated");

/** Whether a program prints some lines of its input and nothing else. */
export function passesOn(name: string, args: readonly Value[]): boolean {
  const isGrep = name === "grep" || name === "egrep" || name === "rg";
  if (!isGrep && !PLAIN_FILTERS.test(name)) return false;
  const parsed = parseOptions(args, name === "rg" ? RG_FILTER : isGrep ? GREP_FILTER : FILTER);
  if (typeof parsed === "string") return false;
  return parsed.operands.length === (isGrep && !parsed.has("-e") ? 1 : 0);
}

const XARGS = options(
  "-0rtx -I= -L= -n= -P= -s= -d= --null --no-run-if-empty --max-args= --max-procs= --max-lines[=] --replace[=] --delimiter= --verbose",
);

const DELIMITERS = /^(-0|--null|-d|--delimiter)$/;
const CHUNKS = /^(-n|--max-args)$/;

/** With only these, one command gets all words of the input; with `-I`, one line. */
const ONE_ROUND = /^(-[rtxPI]|--no-run-if-empty|--verbose|--max-procs|--replace)$/;

/** A known input without quotes and backslashes: it splits at blanks. */
function plainText(given: Value | undefined): string | undefined {
  const said = only(given);
  return said !== undefined && /^[\w./:@%+,= \n-]*$/.test(said) ? said : undefined;
}

const MOST_LINES = 20;

const toText = (word: string): Value => text(word);

/** `packages/{}/package.json`: a piece of a name with a line break may be `..`, which leads to the folder itself. */
function within(name: Names, [before = "", after = "", ...more]: readonly string[]): Value {
  if (more.length > 0 || !/^\w[\w.-]*\/$/.test(before)) return ANY_WORD;
  return { kind: "name", heads: [before, ""], rest: `${name.rest}${after}`, ...(name.single ? { single: true } : {}) };
}

/**
 * The command that `xargs` starts, with the words from its input. Without -0 a line break or blank in a name begins another word, and that
 * could look like an option. Then only programs pass for which all options are harmless.
 */
export function feedXargs(args: readonly Value[], given: Value | undefined): readonly Value[] | undefined {
  const parsed = parseOptions(args, XARGS, { permute: false });
  if (typeof parsed === "string") return undefined;
  const delimiters = parsed.given.filter(({ name }) => DELIMITERS.test(name));
  // With another delimiter, a piece of a name may name another file.
  const isWhole = delimiters.every(({ value }) => value === undefined || /^(\n|\\[n0])$/.test(only(value) ?? ""));
  const piped = given?.kind === "name" && isWhole ? given : undefined;
  const revision = isRevision(given) && isWhole ? given : undefined;
  const command = parsed.operands.length === 0 ? [{ kind: "text", texts: ["echo"] } as const] : parsed.operands;
  // The last one counts.
  const delimiter = delimiters.at(-1);
  const isNulled = delimiter !== undefined && (delimiter.value === undefined || only(delimiter.value) === "\\0");
  const [hole, ...more] = parsed.given.filter(({ name }) => name === "-I" || name === "--replace");
  // One of these overrides the other; versions differ in which one.
  const takesBack =
    parsed.given.some(({ name, value }) => CHUNKS.test(name) && only(value) !== "1") || parsed.has("-L", "--max-lines");
  if (hole !== undefined && (more.length > 0 || takesBack)) return undefined;
  const said = parsed.given.every(({ name }) => ONE_ROUND.test(name)) ? plainText(given) : undefined;
  if (said !== undefined && hole === undefined) return [...command, ...said.split(/\s+/).filter(Boolean).map(toText)];
  if (hole !== undefined) {
    const mark = hole.value === undefined ? "{}" : only(hole.value);
    if (mark === undefined || mark === "") return undefined;
    const name = piped === undefined ? ANY_WORD : isNulled ? piped : lineOf(piped);
    const each = revision === undefined || isNulled ? name : oneOf(revision);
    const lines = (said ?? "").split("\n").flatMap((line) => line.trimStart() || []);
    return command.map((value) => {
      const word = only(value);
      if (word?.includes(mark) && lines.length > 0 && lines.length <= MOST_LINES)
        return text(...new Set(lines.map((line) => word.split(mark).join(line))));
      if (word === mark) return each;
      if (word?.includes(mark) === false) return value;
      return name.kind === "name" && word !== undefined ? within(name, word.split(mark)) : ANY_WORD;
    });
  }
  // A git revision is one word with any delimiter.
  if (revision !== undefined) return [...command, wordsIn(revision)];
  if (piped === undefined) return [...command, ANY_WORDS];
  return [...command, isNulled ? manyOf(piped) : scattered(piped)];
}
