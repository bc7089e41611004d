import type { Need } from "../facts/fact.ts";
import type { Standpoint } from "../place/place.ts";
import { readInto } from "../place/place-effects.ts";
import { isProgramPlace, mayBeOption, only, text, type Value } from "../word/value.ts";
import { commandsOfFind } from "../writer/find.ts";
import { changesOf } from "../writer/program.ts";
import { judgeDd } from "./dd.ts";
import { fileReaders } from "./file-tables.ts";
import { judgeGit } from "./git/git.ts";
import { type Judge, type Judgement, judgeReader, opaque } from "./grammar.ts";
import { inspectors } from "./inspect-tables.ts";
import { judgeFd } from "./names/fd.ts";
import { type FoundCommand, judgeFind } from "./names/find.ts";
import { isToldToFollow, RECURSES } from "./output-files/deep.ts";
import { packed } from "./packed/packed-tables.ts";
import { judgeAwk } from "./script/awk.ts";
import { judgeJq } from "./script/jq.ts";
import { judgeNodeProgram } from "./script/node.ts";
import { judgeSed } from "./script/sed.ts";
import { systemReaders, versionOnly } from "./system-tables.ts";
import { judgeTest } from "./test-command.ts";
import { textReaders } from "./text-tables.ts";
import { hasVerbs, judgeSqlite, judgeVerb, judgeYq } from "./verbs.ts";
import { obeysProject, startsByRustup, tellsItsVersion } from "./version-output/directed.ts";
import { tellsOfItself } from "./version-output/tells.ts";
import { isWriter, judgeWriter } from "./writers.ts";

/** The judgement of one program call. */
interface ProgramJudgement {
  readonly judgement: Judgement;
  readonly gitFolders?: readonly string[];
  /** Commands that the program starts itself. */
  readonly starts?: readonly FoundCommand[];
  /** Its output, if it contains only names. */
  readonly names?: Value;
  /** Trees whose links it follows, wherever they lead. */
  readonly followed?: readonly string[];
  /** Places filled with files from elsewhere. */
  readonly fills?: readonly string[];
}

/** Programs that need more than a table: scripts in their own language, or shapes that options alone cannot describe. */
const JUDGES: Readonly<Record<string, Judge>> = {
  echo: () => ({ effects: [] }),
  true: () => ({ effects: [] }),
  false: () => ({ effects: [] }),
  ":": () => ({ effects: [] }),
  printf: (args) => judgePrintf(args),
  test: judgeTest,
  "[": (args, at) =>
    only(args.at(-1)) === "]" ? judgeTest(args.slice(0, -1), at) : opaque("The bracket is not closed."),
  sed: judgeSed,
  gsed: judgeSed,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  jq: judgeJq,
  yq: judgeYq,
  sqlite3: judgeSqlite,
  dd: judgeDd,
  kill: (args) => judgeKill(args),
  jaq: judgeJq,
  gojq: judgeJq,
  bash: (args, at) => judgeSyntaxCheck(args, at, "-n"),
  sh: (args, at) => judgeSyntaxCheck(args, at, "-n"),
  dash: (args, at) => judgeSyntaxCheck(args, at, "-n"),
  php: (args, at) => judgeSyntaxCheck(args, at, "-l", "--syntax-check"),
  node: (args, at) =>
    /^(-p|-e|-pe|--print|--eval)$/.test(only(args[0]) ?? "")
      ? judgeNodeProgram(args, at)
      : checkedByNode(judgeSyntaxCheck(args, at, "--check", "-c")),
};

const TABLES = [textReaders, fileReaders, systemReaders, inspectors, packed];

/**
 * Judges a call of the program `name` (as written: a bare name, or a path in `/bin` or `/usr/bin`). A program in no table is opaque; so is
 * a program at any other place, whatever its name.
 */
export function judgeProgram(name: string, given: readonly Value[], at: Standpoint): ProgramJudgement {
  const judged = judgeKnown(name, given, at);
  return "why" in judged.judgement
    ? withChanges(judged, judged.judgement, name, given, at)
    : withFollowed(judged, judged.judgement, name, given);
}

/** An opaque call may at least write the files that its words name. */
function withChanges(
  judged: ProgramJudgement,
  judgement: Extract<Judgement, { why: string }>,
  name: string,
  given: readonly Value[],
  at: Standpoint,
): ProgramJudgement {
  const changes = changesOf(name, given, at);
  return {
    ...judged,
    ...(judged.starts?.length === 0 ? { starts: commandsOfFind(given) } : {}),
    ...(changes.length === 0 ? {} : { judgement: { ...judgement, changes } }),
  };
}

/** A reader of trees may have an option to follow the links in them. */
function withFollowed(
  judged: ProgramJudgement,
  { effects }: Exclude<Judgement, { why: string }>,
  name: string,
  given: readonly Value[],
): ProgramJudgement {
  if (!isToldToFollow([name, ...given.map((value) => only(value) ?? "")])) return judged;
  const followed = effects.flatMap((effect) => (effect.do === "read" && effect.tree ? [effect.as ?? effect.path] : []));
  return { ...judged, followed };
}

function judgeKnown(name: string, given: readonly Value[], at: Standpoint): ProgramJudgement {
  const program = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(name)?.[1] ?? name;
  const goesDown = given.some((value) => RECURSES.test(only(value) ?? ""));
  const args = LOCATES.test(program) && !goesDown ? given.flatMap(locatable) : given;
  if (program.includes("/")) return { judgement: opaque("A program outside the system folders may do anything.") };
  const flag = args.length === 1 ? only(args[0]) : undefined;
  if (flag !== undefined && versionOnly.get(program)?.includes(flag)) return { judgement: { effects: [] } };
  if (tellsOfItself(program, args)) return { judgement: { effects: [] } };
  if (tellsItsVersion(program, args)) return { judgement: undirected({ effects: [] }, program, at) };
  if (program === "git") {
    const { judgement, folders } = judgeGit(args, at);
    return { judgement, gitFolders: folders };
  }
  if (program === "find" || program === "gfind") return judgeFind(args, at);
  if (program === "fd") return judgeFd(args, at);
  if (Object.hasOwn(JUDGES, program)) return { judgement: JUDGES[program]!(args, at) };
  if (hasVerbs(program)) return { judgement: judgeVerb(program, args, at) };
  if (isWriter(program)) return judgeWriter(program, args, at);
  if (program === "ast-grep") return { judgement: judgeAstGrep(args, at) };
  const words = program === "tar" ? withDash(args) : args;
  if (words === undefined)
    return { judgement: opaque("The first word of tar is a bundle of options of which not all are known.") };
  const table = TABLES.find((one) => Object.hasOwn(one, program));
  if (table === undefined) return { judgement: opaque(`What ${program} does is not known.`) };
  const judgement = judgeReader(table[program]!, words, at);
  return { judgement: obeysProject(program, args) ? undirected(judgement, program, at) : judgement };
}

/** This holds only if no project file directs the program. */
function undirected(judgement: Judgement, program: string, { folders, home }: Standpoint): Judgement {
  if ("why" in judgement) return judgement;
  const why = "A file of the project may tell it to run or fetch something else.";
  if (folders === undefined) return opaque(why);
  const needs: Need[] = folders.map((path) => ({ kind: "undirected", path, program, why }));
  if (startsByRustup(program)) {
    if (home === undefined) return opaque(MAKES_SETTINGS);
    needs.push({ kind: "rustup", path: home, why: MAKES_SETTINGS });
  }
  return { ...judgement, needs: [...(judgement.needs ?? []), ...needs] };
}

const MAKES_SETTINGS = "rustup makes its settings file where there is none.";

/** Commands that only show where and what a place is: `which` says that of any program. */
const LOCATES = /^(ls|stat|file|readlink|realpath|basename|dirname)$/;

/** Such a place is like any other with programs. If it is empty, another is meant. */
const locatable = (value: Value): readonly Value[] =>
  !isProgramPlace(value) ? [value] : value.perhaps ? [text("/usr/bin"), text(".")] : [text("/usr/bin")];

/** `tar tzf a.tgz`: a first word without a dash still contains options, as `I` in `tar I ./program -tf a.tgz`. */
function withDash([first, ...rest]: readonly Value[]): readonly Value[] | undefined {
  const word = only(first) ?? "";
  if (first === undefined || word.startsWith("-")) return first === undefined ? [] : [first, ...rest];
  return /^[txOvzjJa]+f$/.test(word) ? [text(`-${word}`), ...rest] : undefined;
}

/** `kill -0 123` tests whether a process exists: it sends nothing. */
function judgeKill([signal, ...ids]: readonly Value[]): Judgement {
  const isNamed = ids.length > 0 && ids.every((id) => /^[1-9]\d*$/.test(only(id) ?? ""));
  return only(signal) === "-0" && isNamed ? { effects: [] } : opaque("It may end a process.");
}

/** Without a command `ast-grep` searches for a pattern. Its configuration may make it load a library. */
function judgeAstGrep(args: readonly Value[], at: Standpoint): Judgement {
  const first = only(args[0]) ?? "";
  if (first !== "run" && !first.startsWith("-")) return opaque("It is not known which command is meant.");
  const words = first === "run" ? args.slice(1) : args;
  return undirected(judgeReader(inspectors["ast-grep"]!, words, at), "ast-grep", at);
}

/** `-v` stores under a name that bash evaluates, `%n` stores under an operand. */
export function judgePrintf(args: readonly Value[]): Judgement {
  const [format, ...rest] = only(args[0]) === "--" ? args.slice(1) : args;
  if (format === undefined) return { effects: [] };
  const heads = format.kind === "text" ? format.texts : format.kind === "one" ? [format.head] : [""];
  if (heads.some((head) => head.startsWith("-")) && only(args[0]) !== "--")
    return opaque("printf may store into a variable.");
  const isKnown = format.kind === "text";
  if (!isKnown && (rest.length > 0 || heads.includes("")))
    return opaque("The format of printf is not known before the run.");
  if (heads.some((head) => /%[-+ #0-9.*'hlLjzt]*n/.test(head))) return opaque("printf may store into a variable.");
  const isWide = heads.some((head) => /%[-+ #0-9.*'hlLjzt]*\d{6}/.test(head));
  const isFilled =
    heads.some((head) => /%[-+ #0-9.']*\*/.test(head)) && rest.some((one) => /^-?\d{6,}$/.test(only(one) ?? ""));
  if (isWide || isFilled) return opaque("printf fills more than a machine may hold.");
  return { effects: [] };
}

/** For a folder node checks the file that its package names, wherever that is; for a missing file it tries endings. */
function checkedByNode(judgement: Judgement): Judgement {
  if ("why" in judgement) return judgement;
  const why = "It is not known which file node checks.";
  const files = judgement.effects.flatMap((one) => (one.do === "read" && !/\.[cm]?js$/.test(one.path) ? [one] : []));
  if (files.some(({ tree, as }) => tree || as !== undefined)) return opaque(why);
  return { ...judgement, needs: files.map(({ path }) => ({ kind: "file", path, why }) as const) };
}

function judgeSyntaxCheck(args: readonly Value[], at: Standpoint, ...flags: readonly string[]): Judgement {
  const [flag, file, ...rest] = args;
  if (file === undefined || rest.length > 0 || !flags.includes(only(flag) ?? "")) return opaque("It runs a program.");
  if ((file.kind !== "text" && file.kind !== "name") || mayBeOption(file) || only(file) === "-")
    return opaque("It is not known which file is checked.");
  const effects: Parameters<typeof readInto>[0] = [];
  const problem = readInto(effects, file, at);
  return problem === undefined ? { effects } : opaque(problem);
}
