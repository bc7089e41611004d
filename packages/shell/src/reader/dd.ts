import type { Effect } from "@haft/core/tool";
import { readInto } from "../place/place-effects.ts";
import { only, text } from "../word/value.ts";
import { type Judge, opaque } from "./grammar.ts";

/** Operands for the amount, the offset and the conversion of letters. */
const HOW =
  /^((bs|ibs|obs|cbs|count|skip|iseek)=[\da-zA-Z]+|status=(none|noxfer|progress)|iflag=(fullblock|count_bytes|skip_bytes)(,(fullblock|count_bytes|skip_bytes))*|conv=(lcase|ucase|swab)(,(lcase|ucase|swab))*)$/;

/** `dd if=FILE`: without `of=` it prints. Every operand begins with a name, so none is an option. */
export const judgeDd: Judge = (args, at) => {
  const effects: Effect[] = [];
  for (const arg of args) {
    const word = only(arg);
    if (word?.startsWith("if=")) {
      // An empty name is not a file. A dash is a file of that name.
      const problem = /^-?$/.test(word.slice(3)) ? "No file is named." : readInto(effects, text(word.slice(3)), at);
      if (problem !== undefined) return opaque(problem);
    } else if (word === undefined || !HOW.test(word)) return opaque("dd may write.");
  }
  return { effects };
};
