import { type Place, placesOf } from "../../place/place.ts";
import { readInto, reading } from "../../place/place-effects.ts";
import { only, text } from "../../word/value.ts";
import { type Judge, opaque } from "../grammar.ts";

const FACT = String.raw`process\.(?:version|versions(?:\.\w+)?|platform|arch|execPath)`;
const STRING = String.raw`(?:'(?:[^'\\]|\\[nt])*'|"(?:[^"\\]|\\[nt])*")`;
/** By its path and with its ending: any other required file may be a program. */
const REQUIRED = String.raw`require\((?:'\.{0,2}/[\w@.+/-]+\.json'|"\.{0,2}/[\w@.+/-]+\.json")\)`;
const READ = String.raw`JSON\.parse\((?:require\((?:'(?:node:)?fs'|"(?:node:)?fs")\)|fs)\.readFileSync\((?:0|'[\w@.+/-]+'|"[\w@.+/-]+")(?:, ?(?:'utf-?8'|"utf-?8"))?\)\)`;
/** The fs module may have its usual name, and one value any name. */
const NAMED = RegExp(
  `^\\s*(?:(?:const|let|var) fs ?= ?require\\(['"](?:node:)?fs['"]\\);\\s*)?(?:(?:const|let|var) ([a-zA-Z]\\w*) ?= ?(?:${REQUIRED}|${READ});\\s*)?`,
);

/** Whether a program only shows data, and `name` stands for some. It never calls the data: access by name or number runs nothing. */
function shows(program: string, isPrinted: boolean, name: string): boolean {
  const step = String.raw`(?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[(?:${STRING}|\d+)\])`;
  const data = `(?:${REQUIRED}|${READ}${name === "" ? "" : `|${name}\\b`})${step}*`;
  const listed = String.raw`Object\.(?:keys|values|entries)\(${data}(?: ?(?:\|\||\?\?) ?\{\})?\)(?:\.sort\(\))?(?:\.length|\.join\(${STRING}\))?`;
  const one = String.raw`(?:${FACT}|JSON\.stringify\((?:${data}|${listed})(?:, ?null, ?(?:\d|${STRING}))?\)|${listed}|${data}|${STRING})`;
  const value = String.raw`${one}(?: ?(?:\+|\|\||\?\?) ?${one})*`;
  const statement = String.raw`(?:console\.log\(${value}(?:, ?${value})*\)|${READ})`;
  return RegExp(`^\\s*(?:${isPrinted ? value : `${statement}(?:;\\s*${statement})*`});?\\s*$`).test(program);
}

const WHY = "It runs a program.";

/** `node -p "require('./package.json').version"`: the content of a JSON file, and facts about node itself. */
export const judgeNodeProgram: Judge = ([flag, program, ...rest], at) => {
  const script = only(program) ?? "";
  const [naming = "", name = ""] = NAMED.exec(script) ?? [];
  const isPrinted = /^(-p|-pe|--print)$/.test(only(flag) ?? "");
  if (rest.length > 0 || !shows(script.slice(naming.length), isPrinted, name)) return opaque(WHY);
  const effects: Parameters<typeof readInto>[0] = [];
  for (const [, path] of script.matchAll(/readFileSync\(['"]([^'"]+)/g)) {
    const problem = readInto(effects, text(path === "-" ? "./-" : path!), at);
    if (problem !== undefined) return opaque(problem);
  }
  const places: Place[] = [];
  for (const [, path] of script.matchAll(/require\(['"]([^'"]*\/[^'"]+)/g)) {
    const found = placesOf(text(path!), at);
    if (typeof found === "string" || found.some(({ as }) => as !== undefined)) return opaque(WHY);
    places.push(...found);
  }
  effects.push(...places.map(({ path }) => reading(path, undefined, false)));
  // The target of a link has its own ending, by which node reads it as data or as a program.
  const needs = places.map(({ path }) => ({ kind: "dataFile", path, why: WHY }) as const);
  return { effects, needs };
};
