import type { Effect } from "@haft/core/tool";
import type { Standpoint } from "../../place/place.ts";
import { readInto } from "../../place/place-effects.ts";
import { mayBeOption, only, isOneWord as stays, type Value } from "../../word/value.ts";
import { type Judgement, opaque } from "../grammar.ts";
import { privateMeant } from "../output-files/private.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Tests and actions without argument. Actions that delete, run or write files are not listed. */
const ALONE = words(
  "-true -false -print -print0 -ls -prune -quit -depth -d -mount -xdev -follow -daystart -empty -executable -readable -writable " +
    "-nouser -nogroup -noleaf -nowarn -warn -ignore_readdir_race -noignore_readdir_race -a -and -o -or -not ! ( ) , -help --help --version -version",
);
const WITH_TEXT = words(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime " +
    "-amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -used -printf -context -flags",
);
const WITH_FILE = words(
  "-newer -anewer -cnewer -samefile -neweraa -newerac -neweram -newerca -newercm -newerma -newermc -newermm",
);
const RUNS = words("-exec -execdir -ok -okdir");

/** A command that `find` starts for its results. */
export interface FoundCommand {
  readonly argv: readonly Value[];
  /** `-exec`: names begin with a starting point. Others run in unknown folders. */
  readonly inPlace: boolean;
}

export interface FindJudgement {
  readonly judgement: Judgement;
  readonly starts: readonly FoundCommand[];
  /** Its output, if it contains only names. */
  readonly names?: Value;
}

/** `find` without actions that delete or write. Returns the commands that it starts; the caller judges them. */
export function judgeFind(args: readonly Value[], at: Standpoint): FindJudgement {
  let index = 0;
  const effects: Effect[] = [];
  while (/^-([HLP]|O[0-3])$/.test(only(args[index]) ?? "")) index++;
  const roots: Value[] = [];
  for (; index < args.length && !isExpression(args[index]!); index++) roots.push(args[index]!);
  if (roots.some((root) => mayBeOption(root) && !isFolder(root)))
    return refused("A starting point of find may become an expression.");

  for (const root of roots.length === 0 ? [{ kind: "text", texts: ["."] } as const] : roots) {
    const problem = readInto(effects, root, at, true);
    if (problem !== undefined) return refused(problem);
  }
  const starts: FoundCommand[] = [];
  let printsNames = true;
  // The patterns with which it selects private files. Excluded files are not selected.
  let rest = "*";
  while (index < args.length) {
    const word = only(args[index++]);
    if (word === undefined) return refused("A part of find's expression is not known before the run.");
    if (/^-(ls|printf|exec.*|ok.*|help|version)$|^--/.test(word)) printsNames = false;
    if (ALONE.has(word)) continue;
    const argument = args[index++];
    const isLeftOut = /^(!|-not)$/.test(only(args[index - 3]) ?? "") || only(args[index]) === "-prune";
    if (/^-i?(name|path|wholename)$/.test(word) && !isLeftOut && privateMeant(only(argument) ?? "") !== undefined)
      rest = `**/${only(argument)}`;
    if (WITH_TEXT.has(word) && isOneWord(argument)) continue;
    if (word === "-newermt" && isOneWord(argument)) continue;
    if (WITH_FILE.has(word) && isOneWord(argument)) {
      const problem = readInto(effects, argument, at);
      if (problem !== undefined) return refused(problem);
      continue;
    }
    if (!RUNS.has(word)) return refused(`find ${word} is not among the expressions known to change nothing.`);
    const end = args.findIndex(
      (one, place) => place >= index - 1 && (only(one) === ";" || (only(one) === "+" && isHole(args[place - 1]))),
    );
    if (end < 0) return refused(`find ${word} has no end.`);
    const isEach = only(args[end]) === ";";
    starts.push({ argv: substitute(args.slice(index - 1, end), roots, rest, isEach), inPlace: word === "-exec" });
    index = end + 1;
  }
  const [found] = printsNames ? substitute([HOLE], roots, rest, true) : [];
  // Files behind links are not below.
  const isBelow = found?.kind === "name" && !args.some((value) => /^-(L|follow)$/.test(only(value) ?? ""));
  const names: Value | undefined = isBelow ? { ...found, listed: { folders: found.heads, deep: true } } : found;
  return { judgement: { effects }, starts, ...(names === undefined ? {} : { names }) };
}

/** A word with a slash is not part of an expression: find then stops before it acts. */
const isFolder = (root: Value): boolean => root.kind === "name" && root.single === true && root.rest.includes("/");

const HOLE: Value = { kind: "text", texts: ["{}"] };

const refused = (why: string): FindJudgement => ({ judgement: opaque(why), starts: [] });

const isExpression = (value: Value): boolean => /^(-.|[(),!])/.test(only(value) ?? "");

const isHole = (value: Value | undefined): boolean => only(value) === "{}";

/** One word that stays one word, so that it cannot add an expression. */
const isOneWord = (value: Value | undefined): value is Value => value !== undefined && stays(value);

const asFolder = (head: string): string => (head.endsWith("/") ? head : `${head}/`);

/** The value of `{}`: an existing name below a starting point, or many. Joined with other text it is any word. */
function substitute(argv: readonly Value[], roots: readonly Value[], rest: string, isEach: boolean): Value[] {
  const heads = roots.length === 0 ? ["."] : roots.flatMap((root) => (root.kind === "text" ? root.texts : []));
  const found: Value =
    heads.length === 0 || roots.some((root) => root.kind !== "text")
      ? { kind: "many", head: "" }
      : { kind: "name", heads: heads.map(asFolder), rest, ...(isEach ? { single: true } : {}) };
  return argv.map((value) => {
    if (isHole(value)) return found;
    return only(value)?.includes("{}") === true ? { kind: "one", head: "" } : value;
  });
}
