import type { Effect } from "@haft/core/tool";
import { headsOf, isOneWord, only, type Value } from "../../word/value.ts";
import { type Judge, judgeReader, opaque, type ReaderGrammar, readInto } from "../grammar.ts";
import { options } from "../options.ts";

const GRAMMAR: ReaderGrammar = {
  operands: "read",
  harmless: true,
  leading: 1,
  options: options(
    "-acCeMnrRsSj --ascii-output --compact-output --color-output --exit-status --monochrome-output --null-input",
    "--raw-output --raw-input --slurp --sort-keys --join-output --tab --indent= --seq --stream --stream-errors --unbuffered",
    "--raw-output0 --help --version",
  ),
  // The language can neither write nor run anything; only modules, named at its beginning, are read from anywhere.
  refuse: ({ operands: [filter] }) =>
    filter !== undefined && mayImport(filter) ? "The filter may load a module." : undefined,
};
function mayImport(filter: Value): boolean {
  const isWhole = filter.kind === "text";
  return headsOf(filter).some(
    (head) => /\b(import|include)\b/.test(head) || (!isWhole && /^\s*([a-z]*$|module\b|#)/.test(head)),
  );
}

const PAIRS = new Set(["--arg", "--argjson"]);
const FILE_PAIRS = new Set(["--slurpfile", "--rawfile"]);

/** `jq`: its options that take two words are taken off, the rest is an ordinary grammar. */
export const judgeJq: Judge = (args, at) => {
  const effects: Effect[] = [];
  const rest: Value[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = only(args[index]) ?? "";
    if (word === "--args" || word === "--jsonargs") {
      // What follows the filter is data.
      rest.push(
        ...args.slice(index + 1, index + 1 + (rest.some((value) => only(value)?.startsWith("-") !== true) ? 0 : 1)),
      );
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
  return "why" in judged ? judged : { effects: [...effects, ...judged.effects] };
};
