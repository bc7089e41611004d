import type { Effect } from "@haft/core/tool";
import { isFree, placesOf, type Standpoint } from "../../place/place.ts";
import { readInto } from "../../place/place-effects.ts";
import { headsOf, isOneWord, mayBeOption, only, type Value } from "../../word/value.ts";
import { type Judge, judgeReader, opaque, type ReaderGrammar } from "../grammar.ts";
import { options, parseOptions } from "../options.ts";

const GRAMMAR: ReaderGrammar = {
  operands: "read",
  harmless: true,
  leading: 1,
  leadingUnless: ["-f", "--from-file"],
  options: options(
    "-acCeMnrRsSj --ascii-output --compact-output --color-output --exit-status --monochrome-output --null-input",
    "--raw-output --raw-input --slurp --sort-keys --join-output --tab --indent= --seq --stream --stream-errors --unbuffered",
    "--raw-output0 --help --version -f=< --from-file=<",
  ),
  // The language can neither write nor run anything. Only modules, named at its beginning, are read from anywhere.
  refuse: ({ operands: [filter], has }) =>
    filter !== undefined && !has("-f", "--from-file") && mayImport(filter)
      ? "The filter may load a module."
      : undefined,
};

/** Without these words jq loads nothing from elsewhere. */
export const LOADING_WORDS: readonly string[] = ["import", "include", "modulemeta"];
const LOADS = new RegExp(`\\b(${LOADING_WORDS.join("|")})\\b`);

function mayImport(filter: Value): boolean {
  const isWhole = filter.kind === "text";
  return headsOf(filter).some((head) => LOADS.test(head) || (!isWhole && /^\s*([a-z]*$|module\b|#)/.test(head)));
}

const PAIRS = new Set(["--arg", "--argjson"]);
const FILE_PAIRS = new Set(["--slurpfile", "--rawfile"]);

/** `jq`: options with two words are removed, the rest is an ordinary grammar. */
export const judgeJq: Judge = (args, at) => {
  const effects: Effect[] = [];
  const rest: Value[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = only(args[index]) ?? "";
    if (word === "--args" || word === "--jsonargs") {
      // The words after the filter are data, but options are options there too.
      const data = args.slice(index + 1).filter((one) => !/^--(json)?args$/.test(only(one) ?? ""));
      if (data.some(mayBeOption)) return opaque(`An option may stand behind ${word}.`);
      const before = parseOptions(rest, GRAMMAR.options);
      if (typeof before !== "string" && before.operands.length === 0) rest.push(...data.slice(0, 1));
      break;
    }
    if (!PAIRS.has(word) && !FILE_PAIRS.has(word)) {
      rest.push(args[index]!);
      continue;
    }
    const [name, value] = [args[index + 1], args[index + 2]];
    if (value === undefined || ![name, value].every((one) => one === undefined || isOneWord(one))) {
      return opaque(`The words of ${word} are not known before the run.`);
    }
    const problem = FILE_PAIRS.has(word) ? readInto(effects, value, at) : undefined;
    if (problem !== undefined) return opaque(problem);
    index += 2;
  }
  const judged = judgeReader(GRAMMAR, rest, at);
  if ("why" in judged) return judged;
  const programs = programsOf(rest, at);
  if (typeof programs === "string") return opaque(programs);
  const why = "It is not known what the program in the file loads.";
  const needs = programs.map((path) => ({ kind: "program", path, why }) as const);
  return { effects: [...effects, ...judged.effects], needs };
};

/**
 * The file that `-f` names. In some versions that is the next word, in others the first word that is not an option. It is known only if
 * both are the same.
 */
function programsOf(args: readonly Value[], at: Standpoint): readonly string[] | string {
  const words = args.map((value) => only(value) ?? "");
  const flags = words.flatMap((word, index) => (/^(-[a-zA-Z]*f|--from-file)/.test(word) ? [index] : []));
  const [flag, ...more] = flags;
  if (flag === undefined) return [];
  const isPlain = more.length === 0 && /f$|^--from-file$/.test(words[flag]!);
  if (!isPlain || !words.slice(0, flag).every((word) => word.startsWith("-"))) return UNKNOWN_PROGRAM;
  const file = args[flag + 1];
  const places = file?.kind === "text" && !isFree(only(file) ?? "/dev/stdin") ? placesOf(file, at) : UNKNOWN_PROGRAM;
  if (typeof places === "string" || places.some(({ as }) => as !== undefined)) return UNKNOWN_PROGRAM;
  return places.map(({ path }) => path);
}

const UNKNOWN_PROGRAM = "It is not known which file holds the program of jq.";
