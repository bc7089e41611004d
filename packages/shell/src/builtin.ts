import { resolve } from "@haft/core/tool";
import { isDecisive, isDecisiveFor } from "./environment.ts";
import { parseShell } from "./parse.ts";
import { type Judgement, opaque } from "./reader/grammar.ts";
import { isEndless, NEVER_ENDS } from "./reader/names/endless.ts";
import { options, type Parsed, parseOptions } from "./reader/options.ts";
import { judgePrintf } from "./reader/program.ts";
import { type Scope, withTaint, withVariable } from "./scope.ts";
import type { Session } from "./session.ts";
import {
  ANY_WORD,
  headsOf,
  isNumber,
  isOneWord,
  isRevision,
  join,
  lineOf,
  MAYBE_NUMBER,
  mayBeOption,
  oneLineOf,
  only,
  text,
  type Value,
} from "./word/value.ts";
import { loosen, variable } from "./word/variable.ts";

/** The effect of a shell builtin on the shell itself. An absent scope marks a path that ends here. */
interface BuiltinResult {
  readonly judgement: Judgement;
  readonly ok: Scope | undefined;
  readonly bad: Scope | undefined;
  /** It evaluates data as code, so its effects cannot be known. */
  readonly unknown?: string;
}

/** An argument: the word, and for `NAME=value` words the parts. */
export interface Argument {
  readonly value: Value;
  readonly assigns?: {
    readonly name: string;
    readonly value: Value;
    /** `NAME=(...)`. */
    readonly isList?: boolean;
    /** `NAME+=value`. */
    readonly isMore?: boolean;
  };
}

type Builtin = (args: readonly Argument[], scope: Scope, session: Session) => BuiltinResult;

const CD_OPTIONS = options("-LPe@");
const READ_OPTIONS = options("-ersa -d= -i= -n= -N= -p= -t= -u=");
const MAPFILE_OPTIONS = options("-t -d= -n= -O= -s= -u=");

const READS: Judgement = { effects: [] };
const stay = (scope: Scope): BuiltinResult => ({ judgement: READS, ok: scope, bad: scope });
const evaluates =
  (why: string): Builtin =>
  (_args, scope) => ({ judgement: opaque(why), ok: withTaint(scope, why), bad: withTaint(scope, why), unknown: why });
const refuse = (scope: Scope, why: string): BuiltinResult => ({
  judgement: opaque(why),
  ok: withTaint(scope, why),
  bad: withTaint(scope, why),
});

/** The builtins that are known. `echo`, `test` and `pwd` are judged like the programs of the same name. */
const BUILTINS: Readonly<Record<string, Builtin>> = {
  cd: changeFolder,
  pushd: (args, scope, session) => {
    const [target] = args;
    const isPlain = args.length === 1 && /^[^-+]/.test(only(target?.value) ?? "");
    return isPlain ? changeFolder(args, scope, session) : { ...stay(scope), ok: { ...scope, folders: undefined } };
  },
  popd: (_args, scope) => ({ judgement: READS, ok: { ...scope, folders: undefined }, bad: scope }),
  dirs: (_args, scope) => stay(scope),
  exit: end,
  return: jump,
  break: jump,
  continue: jump,
  wait: plainly(/^(-[nf]+|\d+|%[\w+-]*)$/, "wait may store into a variable."),
  jobs: plainly(/^(-[lnprs]+|%[\w+-]*)$/, "jobs may start a command."),
  times: (_args, scope) => stay(scope),
  type: (_args, scope) => stay(scope),
  hash: plainly(/^(-[lrt]|[\w.+]+)$/, "hash decides which program a name means."),
  shift: (args, scope) => {
    const rest = args.length === 0 ? scope.args?.slice(1) : undefined;
    return stay({ ...scope, args: rest });
  },
  set: setOptions,
  shopt: setShellOptions,
  umask: (args, scope) =>
    args.every(({ value }) => /^-[pS]+$/.test(only(value) ?? ""))
      ? stay(scope)
      : refuse(scope, "umask changes the rights of new files."),
  export: declare("export"),
  readonly: declare("readonly"),
  declare: declare("declare"),
  typeset: declare("declare"),
  local: declare("local"),
  unset: unsetNames,
  read: readNames,
  getopts: (args, scope) => assignNames([...args.slice(1, 2), named("OPTARG")], scope),
  printf: setPrinted,
  mapfile: readLines,
  readarray: readLines,
  eval: evalText,
  trap: (args, scope, session) =>
    args.every(({ value }) => /^-[lp]$/.test(only(value) ?? ""))
      ? stay(scope)
      : evaluates("trap runs a script later.")(args, scope, session),
  caller: (args, scope) => (args.length === 0 ? stay(scope) : refuse(scope, "It is not known which caller is meant.")),
  compgen: plainly(/^-[abcdefgjksuv]+$|^-A$|^[a-z]\w*$/, "compgen may run something."),
  alias: (args, scope, session) =>
    args.every(({ value, assigns }) => assigns === undefined && /^(-p|[\w.]+)$/.test(only(value) ?? ""))
      ? stay(scope)
      : evaluates("alias gives names another meaning.")(args, scope, session),
  history: plainly(/^\d+$/, "history may write a file."),
  help: plainly(/^-[dms]+$|^\w+$/, "It is not known which help is wanted."),
  unalias: (_args, scope) => refuse(scope, "unalias gives names another meaning."),
  enable: (args, scope, session) =>
    args.every(({ value }) => /^-[anps]+$/.test(only(value) ?? ""))
      ? stay(scope)
      : evaluates("enable gives names another meaning.")(args, scope, session),
  let: (_args, scope) => refuse(scope, "let evaluates text as arithmetic."),
  source: sourceFile,
  ".": sourceFile,
  complete: (args, scope) =>
    only(args[0]?.value) === "-p" ? stay(scope) : refuse(scope, "complete registers commands."),
  bind: evaluates("bind runs commands on keys."),
  fc: evaluates("fc runs earlier commands."),
  ulimit: (args, scope) =>
    args.length <= 1 && /^-[HS]*[a-zA-Z]$/.test(only(args[0]?.value) ?? "-a")
      ? stay(scope)
      : refuse(scope, "ulimit changes the limits of what follows."),
};

/** If its words are known, rules see what it runs. None of it counts as proved. */
function evalText(args: readonly Argument[], scope: Scope, session: Session): BuiltinResult {
  const why = "eval runs text that the script builds at run time.";
  const words = args.map(({ value }) => only(value));
  const source = words.join(" ");
  const parsed = words.includes(undefined) ? undefined : parseShell(source);
  if (parsed !== undefined && "script" in parsed) session.nested(parsed.script, withTaint({ ...scope, source }, why));
  return evaluates(why)(args, scope, session);
}

/** A builtin that does nothing when its arguments are numbers or have this shape. */
function plainly(shape: RegExp, otherwise: string): Builtin {
  const isPlain = ({ value }: Argument) => isNumber(value) || shape.test(only(value) ?? "");
  return (args, scope) => (args.every(isPlain) ? stay(scope) : refuse(scope, otherwise));
}

/** Whether to judge it as a builtin: a `printf` that sets nothing is judged as the program of its name. */
export const isBuiltin = (name: string, [first]: readonly Value[]): boolean =>
  Object.hasOwn(BUILTINS, name) &&
  (name !== "printf" || (first !== undefined && mayBeOption(first) && /^-v/.test(only(first) ?? "-v")));

/** Runs a builtin on the known values. */
export const runBuiltin = (name: string, args: readonly Argument[], scope: Scope, session: Session): BuiltinResult =>
  BUILTINS[name]!(args, scope, session);

/** Ends the script, but only with arguments that bash accepts. With others bash complains and continues. */
function end(args: readonly Argument[], scope: Scope): BuiltinResult {
  const isAccepted = args.length === 0 || (args.length === 1 && isNumber(args[0]!.value));
  return isAccepted ? { judgement: READS, ok: undefined, bad: undefined } : stay(scope);
}

/**
 * Continues after a loop or function; the walker of that loop or function picks the scope up. Without a loop or function around it, bash
 * complains and continues here. Both paths are followed.
 */
function jump(_args: readonly Argument[], scope: Scope, session: Session): BuiltinResult {
  session.jumps.push(scope);
  return stay(scope);
}

function changeFolder(args: readonly Argument[], scope: Scope, session: Session): BuiltinResult {
  const lost: BuiltinResult = { judgement: READS, ok: { ...scope, folders: undefined }, bad: scope };
  const parsed = parseOptions(
    args.map(({ value }) => value),
    CD_OPTIONS,
  );
  // With -P `..` means the folder above the link target.
  if (typeof parsed === "string" || parsed.operands.length > 1 || parsed.has("-P")) return lost;
  const [target] = parsed.operands;
  if (target === undefined) return { ...lost, ok: { ...scope, folders: [session.context.home] } };
  if (target.kind !== "text") return lost;
  const searches = (session.context.env?.CDPATH ?? "") !== "";
  const folders: string[] = [];
  for (const name of target.texts) {
    if (name === "-" || (searches && !/^\.{0,2}\//.test(name))) return lost;
    if (name === "") folders.push(...(scope.folders ?? []));
    else if (name.startsWith("/")) folders.push(resolve("/", name));
    else if (scope.folders === undefined) return lost;
    else folders.push(...scope.folders.map((folder) => resolve(folder, name)));
  }
  const entered = [...new Set(folders)];
  if (entered.length === 0 || entered.length > 4) return lost;
  return { judgement: READS, ok: { ...scope, folders: entered }, bad: scope };
}

/** `export`, `declare` and similar: plain names only, and no attribute that makes bash evaluate values. */
function declare(as: "export" | "readonly" | "declare" | "local"): Builtin {
  const mayBeLocal = as !== "export";
  const showsFunctions = as === "declare" || as === "local";
  return (args, scope, session) => {
    let next = scope;
    let makesConstant = as === "readonly";
    let isExported = as === "export";
    let isArray = false;
    for (const { value, assigns } of args) {
      const word = only(value);
      if (assigns === undefined && word !== undefined && /^[-+]/.test(word)) {
        // An exported or constant function has another meaning in other shells and later.
        if (/[fF]/.test(word) && !/^-[fFp]+$/.test(word)) return refuse(scope, "A function is given an attribute.");
        if (!/^-[aAgrxpfFI]+$|^--$/.test(word))
          return refuse(scope, "An attribute makes bash evaluate what is assigned.");
        makesConstant ||= word.startsWith("-") && word.includes("r");
        isExported ||= word.startsWith("-") && word.includes("x");
        isArray ||= /[aA]/.test(word);
        if (/f/.test(word) && !showsFunctions) return refuse(scope, "A function is given an attribute.");
        continue;
      }
      const name = assigns?.name ?? word;
      if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
        return refuse(scope, "It is not known which variable is declared.");
      if (makesConstant) session.note(session.constants, name);
      if (isArray) session.note(session.arrays, name);
      const held = assigns?.value;
      const isText = assigns !== undefined && !assigns.isList && (assigns.isMore || mayBeList(assigns.value));
      if (isText && session.arrays.has(name))
        return refuse(scope, "To an array, text in brackets is a list: bash expands what stands in it.");
      // Any program may look at an exported variable.
      const decides = isExported
        ? isDecisiveFor(name, only(held ?? variable(name, scope, session)))
        : isDecisive(name, only(held));
      if (decides) return refuse(scope, `${name} decides what commands do.`);
      // After the function its old value is restored.
      const old = variable(name, scope, session);
      if (as === "local" && session.locals !== undefined)
        session.locals.set(name, join(old, session.locals.get(name) ?? old));
      else if (mayBeLocal) loosen(name, old, session);
      if (held === undefined) {
        // A local variable is empty at first.
        if (showsFunctions) next = withVariable(next, name, join(old, text("")));
        continue;
      }
      next = withVariable(next, name, held);
      // A constant keeps its value, whatever is assigned later.
      if (mayBeLocal) loosen(name, held, session);
    }
    return stay(next);
  };
}

/** `(...)`, whatever quotes surrounded it. */
const mayBeList = (value: Value): boolean =>
  value.kind !== "number" &&
  headsOf(value).some((head) => head.startsWith("(") || (head === "" && value.kind !== "text"));

function unsetNames(args: readonly Argument[], scope: Scope): BuiltinResult {
  const names = args.map(({ value }) => only(value)).filter((word) => word !== "-v" && word !== "-f");
  if (names.some((name) => name === undefined || !/^[A-Za-z_]\w*$/.test(name) || isDecisive(name, ""))) {
    return refuse(scope, "It is not known which variable is unset.");
  }
  const functions = new Map(scope.functions);
  for (const name of names) if (functions.has(name!)) functions.set(name!, "unclear");
  return assignNames(
    args.filter(({ value }) => names.includes(only(value))),
    { ...scope, functions },
  );
}

/** `read -r a b`: the names get unknown words. */
function readNames(args: readonly Argument[], scope: Scope, session: Session): BuiltinResult {
  const parsed = parseOptions(
    args.map(({ value }) => value),
    READ_OPTIONS,
  );
  if (typeof parsed === "string") return refuse(scope, parsed);
  const targets = orDefault(parsed.operands, "REPLY");
  // A single name takes a whole line. Without -r backslashes are removed, as in xargs.
  const isLine = targets.length === 1 && !parsed.given.some(({ name }) => name !== "-r" && name !== "-d");
  // With another delimiter, a piece of a name may name another file.
  const isWhole = parsed.given.every(({ name, value }) => name !== "-d" || /^\n?$/.test(only(value) ?? "?"));
  if (parsed.has("-a")) noteArrays(targets, session);
  const { piped } = session;
  if (!isLine || !isWhole) return assignNames(targets, scope);
  if (isRevision(piped) && !isNulled(parsed)) return assignNames(targets, scope, oneLineOf(piped));
  // A line of numbers, or the end of one that another reader has begun.
  if (piped?.kind === "number" && !parsed.has("-d")) return assignNames(targets, scope, MAYBE_NUMBER);
  const names = piped?.kind === "name" ? piped : undefined;
  const held = names && (isNulled(parsed) ? unlisted(names) : lineOf(names));
  return assignNames(targets, scope, held && session.single(only(targets[0]!.value) ?? "", held));
}

/** `printf -v NAME FORMAT` sets what it would print. */
function setPrinted(args: readonly Argument[], scope: Scope): BuiltinResult {
  const [flag, name = text(""), ...printed] = args.map(({ value }) => value);
  const isPlain = only(flag) === "-v" && "effects" in judgePrintf(printed);
  return isPlain ? assignNames([{ value: name }], scope) : refuse(scope, "printf may set a variable.");
}

/** For lines read together, the folders of the names are not known. */
const unlisted = ({ listed: _, ...names }: Value & { readonly kind: "name" }): Value => names;

function readLines(args: readonly Argument[], scope: Scope, session: Session): BuiltinResult {
  // -C runs a command after every given number of lines.
  const parsed = parseOptions(
    args.map(({ value }) => value),
    MAPFILE_OPTIONS,
  );
  if (typeof parsed === "string") return refuse(scope, parsed);
  const targets = orDefault(parsed.operands, "MAPFILE");
  noteArrays(targets, session);
  const { piped } = session;
  if (isEndless(piped) && !parsed.has("-n")) return refuse(scope, NEVER_ENDS);
  // With -u it reads from another descriptor; with -O older members stay.
  const names = parsed.has("-t") && !parsed.has("-u", "-O") && piped?.kind === "name" ? piped : undefined;
  const isPlain = !parsed.has("-d") || isNulled(parsed);
  return assignNames(targets, scope, names && isPlain ? unlisted(isNulled(parsed) ? names : lineOf(names)) : undefined);
}

/** `-d ''`: names end with NUL, which no name contains. */
const isNulled = ({ given }: Parsed): boolean => only(given.findLast(({ name }) => name === "-d")?.value) === "";

function noteArrays(targets: readonly Argument[], session: Session): void {
  for (const { value } of targets) session.note(session.arrays, only(value) ?? "");
}

const named = (name: string): Argument => ({ value: text(name) });

/** Without a name the builtin sets its own variable. */
const orDefault = (names: readonly Value[], name: string): readonly Argument[] =>
  names.length === 0 ? [named(name)] : names.map((value) => ({ value }));

function assignNames(args: readonly Argument[], scope: Scope, held: Value = ANY_WORD): BuiltinResult {
  let next = scope;
  for (const { value } of args) {
    const name = only(value);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
      return refuse(scope, "It is not known which variable is set.");
    // Not useful: the shell sets it again with each command.
    if (name === "_") continue;
    const why = `${name} decides what commands do.`;
    if (isDecisive(name, undefined)) return { ...refuse(scope, why), unknown: why };
    next = withVariable(next, name, held);
  }
  return stay(next);
}

/** `set -euo pipefail` and new positional parameters. Any other option may change how the rest is read. */
function setOptions(args: readonly Argument[], scope: Scope): BuiltinResult {
  const words = args.map(({ value }) => only(value));
  // It prints the options.
  if (words.length === 1 && /^[-+]o$/.test(words[0] ?? "")) return stay(scope);
  const cut = words.indexOf("--");
  const flags = cut < 0 ? words : words.slice(0, cut);
  const isPlain =
    /^([-+][euxfvhbC]*|[-+][euxfvhbC]*o (pipefail|errexit|nounset|xtrace|noglob|noclobber|errtrace)|[-+][eux]*|)( |$)/;
  let rest = flags.map((word) => word ?? "?").join(" ");
  while (rest !== "") {
    const found = isPlain.exec(rest);
    if (found === null || found[0] === "") return refuse(scope, "set changes how the rest is read.");
    rest = rest.slice(found[0].length);
  }
  const given = args.slice(cut + 1).map(({ value }) => value);
  return stay(cut < 0 ? scope : { ...scope, args: given.every(isOneWord) ? given : undefined });
}

/** Not dotglob: wildcards would match hidden files too. Not failglob: a failed match changes which command runs next. */
const PLAIN_SHELL_OPTIONS =
  /^(nullglob|globstar|nocaseglob|nocasematch|checkwinsize|huponexit|inherit_errexit|pipefail)$/;

function setShellOptions(args: readonly Argument[], scope: Scope): BuiltinResult {
  const [flag, ...names] = args.map(({ value }) => only(value));
  const isPlain = /^-[suq]+$/.test(flag ?? "") && names.every((name) => PLAIN_SHELL_OPTIONS.test(name ?? ""));
  return isPlain || flag === undefined ? stay(scope) : refuse(scope, "shopt changes how the rest is read.");
}

function sourceFile(args: readonly Argument[], scope: Scope): BuiltinResult {
  const isKnown = only(args[0]?.value) !== undefined;
  const why = isKnown ? "What a sourced file does is not known." : "It is not known which file is sourced.";
  const refused = refuse({ ...scope, folders: undefined }, why);
  return isKnown ? refused : { ...refused, unknown: why };
}
