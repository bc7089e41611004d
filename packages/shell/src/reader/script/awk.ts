import type { Effect } from "@haft/core/tool";
import { readInto } from "../../place/place-effects.ts";
import { only } from "../../word/value.ts";
import { type Judge, opaque } from "../grammar.ts";
import { options, parseOptions } from "../options.ts";
import { checkAwkProgram } from "./awk-program.ts";

// Not every awk knows the long names: their text would then be the program.
const TABLE = options("-F= -v= --version --help -V");

/** `awk` with a program that neither runs nor writes anything, and reads only its operands. */
export const judgeAwk: Judge = (args, at) => {
  const parsed = parseOptions(args, TABLE, { permute: false });
  if (typeof parsed === "string") return opaque(parsed);
  const [program, ...files] = parsed.operands;
  if (program === undefined) return parsed.given.length > 0 ? { effects: [] } : opaque("The awk program is missing.");
  const text = only(program);
  const problem = text === undefined ? "The awk program is not known before the run." : checkAwkProgram(text);
  if (problem !== undefined) return opaque(problem);
  const effects: Effect[] = [];
  for (const file of files) {
    const name = only(file);
    if (name !== undefined && /^[A-Za-z_]\w*=/.test(name)) continue;
    const unread = readInto(effects, file, at);
    if (unread !== undefined) return opaque(unread);
  }
  return { effects };
};
