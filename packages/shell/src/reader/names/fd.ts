import type { Standpoint } from "../../place/place.ts";
import { ANY_WORD, ANY_WORDS, manyOf, only, type Value } from "../../word/value.ts";
import { fileReaders } from "../file-tables.ts";
import { judgeReader, opaque } from "../grammar.ts";
import type { FindJudgement } from "./find.ts";
import { listedNames } from "./listing.ts";

const RUNS = /^(-x|-X|--exec|--exec-batch)$/;
const ENDS = /^(;|-[^-]*[xX].*|--exec.*)$/;
/** A part of a name may have another meaning than the name. */
const PARTS = /\{(\/|\/\/|\.|\/\.)\}/;

/** `fd`, and the commands that it starts for its results: the caller judges them, as with `find -exec`. */
export function judgeFd(args: readonly Value[], at: Standpoint): FindJudgement {
  const run = args.findIndex((value) => RUNS.test(only(value) ?? ""));
  const own = run < 0 ? args : args.slice(0, run);
  const judgement = judgeReader(fileReaders.fd!, own, at);
  const names = listedNames("fd", own);
  if (run < 0) return { judgement, starts: [], ...(names === undefined ? {} : { names }) };
  const command = args.slice(run + 1);
  const isEach = /^(-x|--exec)$/.test(only(args[run]) ?? "");
  const found: Value = names === undefined ? ANY_WORDS : isEach ? names : manyOf(names);
  // After a semicolon come further options and another command.
  if (command.some((value) => (value.kind !== "text" && value.kind !== "name") || ENDS.test(only(value) ?? ";")))
    return { judgement: opaque("It is not known which commands fd runs."), starts: [] };
  const argv = command.map((value) => (only(value) === "{}" ? found : isGlued(value) ? ANY_WORD : value));
  const isNamed = command.some((value) => only(value) === "{}" || isGlued(value));
  return { judgement, starts: [{ argv: isNamed ? argv : [...argv, found], inPlace: true }] };
}

const isGlued = (value: Value): boolean => {
  const word = only(value) ?? "";
  return PARTS.test(word) || (word !== "{}" && word.includes("{}"));
};
