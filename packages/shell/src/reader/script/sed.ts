import type { Effect } from "@haft/core/tool";
import { placesOf, type Standpoint } from "../../place/place.ts";
import { readInto } from "../../place/place-effects.ts";
import { only, text, type Value } from "../../word/value.ts";
import { type Judge, opaque } from "../grammar.ts";
import { options, type Parsed, parseOptions } from "../options.ts";
import { checkSedScript } from "./sed-script.ts";

const TABLE = options(
  "-nErsuz -e= -l= -i[=] --quiet --silent --expression= --regexp-extended --separate --unbuffered --null-data --line-length=",
  "--in-place[=] --posix --debug --sandbox --help --version",
);

/** `sed` with a script that only prints and rewrites text; with `-i` it changes exactly its operands. */
export const judgeSed: Judge = (args, at) => {
  const parsed = parseOptions(args.map(numbered), TABLE);
  if (typeof parsed === "string") return opaque(parsed);
  // Except in GNU sed, -l takes no text, and the next word is the script: a number is not a script.
  if (parsed.given.some(({ name, value }) => name === "-l" && !/^\d+$/.test(only(value) ?? "")))
    return opaque("The word after -l may be the script.");
  const scripts = parsed.given.filter(({ name }) => name === "-e" || name === "--expression").map(({ value }) => value);
  const files = [...parsed.operands];
  if (scripts.length === 0 && !parsed.has("--help", "--version")) scripts.push(files.shift());
  const problem = checkParts(scripts);
  if (problem !== undefined) return opaque(problem);
  return parsed.has("-i", "--in-place") ? inPlace(parsed, files, at) : reads(files, at);
};

/** Each part alone, or all as the lines of one script: a block may begin in one part and end in another. */
function checkParts(parts: readonly (Value | undefined)[]): string | undefined {
  const texts: string[][] = [];
  for (const part of parts) {
    if (part?.kind !== "text") return "The sed script is not known before the run.";
    texts.push([...part.texts]);
  }
  const problem = texts.flat().map(checkSedScript).find(Boolean);
  // After a backslash at the end of a part, sed reads the next part in its own way.
  const isOneScript =
    texts.length > 1 && texts.every(([line, ...others]) => others.length === 0 && !line?.endsWith("\\"));
  return problem !== undefined && isOneScript ? checkSedScript(texts.flat().join("\n")) : problem;
}

/** A script of addresses and printing, whatever its numbers are: as a delimiter a digit could have another meaning. */
function numbered(value: Value): Value {
  const like = value.kind === "one" ? value.like : undefined;
  return like !== undefined && /^\d[\d,$+~!; {}pdqD=]*$/.test(like) ? text(like) : value;
}

function reads(files: readonly Value[], at: Standpoint) {
  const effects: Effect[] = [];
  for (const file of files) {
    const problem = readInto(effects, file, at);
    if (problem !== undefined) return opaque(problem);
  }
  return { effects };
}

function inPlace(parsed: Parsed, files: readonly Value[], at: Standpoint) {
  const suffixes = parsed.given.filter(({ name }) => name === "-i" || name === "--in-place").map(({ value }) => value);
  const suffix = suffixes[0] === undefined ? "" : only(suffixes[0]);
  if (suffixes.length > 1 || suffix === undefined || /[/*]/.test(suffix))
    return opaque("The backup name of sed is not plain.");
  const effects: Effect[] = [];
  for (const file of files) {
    if (file.kind !== "text") return opaque("It is not known which files sed changes.");
    const places = placesOf(file, at);
    if (typeof places === "string") return opaque(places);
    for (const { path, as } of places) {
      const named = as === undefined ? {} : { as };
      effects.push({ do: "read", basis: "proved", path, ...named });
      effects.push({ do: "write", basis: "proved", path, change: "modify", ...named });
      if (suffix !== "") effects.push({ do: "write", basis: "proved", path: path + suffix, change: "replace" });
    }
  }
  return files.length === 0 ? opaque("sed -i names no file.") : { effects };
}
