import type { Effect } from "@haft/core/tool";
import { readInto } from "../place/place-effects.ts";
import { isOneWord, only, type Value } from "../word/value.ts";
import { type Judge, opaque } from "./grammar.ts";

/** Operators that look at a file. */
export const FILE_TESTS = /^-[abcdefghkprsuwxGLNOS]$/;
const TEXT_TESTS = /^-[nzto]$/;
const BINARY = /^(=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge)$/;
export const FILE_COMPARISONS = /^-(nt|ot|ef)$/;

/**
 * `test` and `[`. The position of words decides what bash evaluates (`-v` evaluates a subscript, with its substitutions). So only the plain
 * shapes are known: nothing, one word, operator and word, word operator word, each with `!` before it.
 */
export const judgeTest: Judge = (args, at) => {
  // If a number is missing, an operator is alone, and none of the known ones does harm.
  if (!args.every((value) => isOneWord(value) || value.kind === "number")) {
    return opaque("The words of a test are not known before the run.");
  }
  if (args.length <= 1) return { effects: [] };
  const parts = cutAtConnectives(args);
  if (parts === undefined) return opaque("The parts of a test are not known before the run.");
  const effects: Effect[] = [];
  for (const part of parts) {
    const problem = judgePart(part, effects, at);
    if (problem !== undefined) return opaque(problem);
  }
  return { effects };
};

/** Splits at `-a` and `-o`, if no operand could be read as a connective or bracket. */
function cutAtConnectives(args: readonly Value[]): Value[][] | undefined {
  if (args.length <= 4 && !args.some((value) => /^-[ao]$/.test(only(value) ?? ""))) return [[...args]];
  if (args.some((value) => only(value) === undefined)) return undefined;
  const parts: Value[][] = [[]];
  for (const value of args) {
    if (/^-[ao]$/.test(only(value) ?? "") && parts.at(-1)!.length >= 1) parts.push([]);
    else parts.at(-1)!.push(value);
  }
  return parts;
}

function judgePart(part: readonly Value[], effects: Effect[], at: Parameters<Judge>[1]): string | undefined {
  const words = only(part[0]) === "!" && part.length > 1 ? part.slice(1) : part;
  if (words.length <= 1) return undefined;
  const [first, second, third] = words;
  if (words.length === 2) {
    const operator = only(first);
    if (operator !== undefined && FILE_TESTS.test(operator)) return readInto(effects, second!, at);
    return operator !== undefined && TEXT_TESTS.test(operator) ? undefined : "The operator of a test is not known.";
  }
  const operator = only(second);
  if (words.length !== 3 || operator === undefined) return "The operator of a test is not known.";
  if (BINARY.test(operator)) return undefined;
  if (!FILE_COMPARISONS.test(operator)) return "The operator of a test is not known.";
  return readInto(effects, first!, at) ?? readInto(effects, third!, at);
}
