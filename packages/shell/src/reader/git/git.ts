import { isPrivatePath } from "@haft/core/policy";
import { type Effect, resolve } from "@haft/core/tool";
import type { Standpoint } from "../../place/place.ts";
import { readInto, reading } from "../../place/place-effects.ts";
import { isOneWord, mayBeOption, only, text, type Value } from "../../word/value.ts";
import { type Judgement, opaque } from "../grammar.ts";
import { type Parsed, parseOptions } from "../options.ts";
import { privateMeant } from "../output-files/private.ts";
import { GIT_CONFIG, GIT_CONFIG_GETS, GIT_GLOBAL, type GitGrammar, gitReaders } from "./git-tables.ts";

interface GitJudgement {
  readonly judgement: Judgement;
  /** Working folders of the command, after `-C`. */
  readonly folders: readonly string[];
}

/**
 * `git` in forms that change nothing. Its behaviour depends on the configuration of the folder. So the proof holds with the variables of
 * `gitEnvironment` and a configuration in which `riskyGitConfig` finds nothing.
 */
export function judgeGit(args: readonly Value[], from: Standpoint): GitJudgement {
  const global = parseOptions(args, GIT_GLOBAL, { permute: false, gluing: true });
  if (typeof global === "string") return refused(global);
  if (global.operands.length === 0) {
    return global.given.length > 0 ? { judgement: { effects: [] }, folders: [] } : refused("git alone says nothing.");
  }
  const at = moveTo(global, from);
  if (typeof at === "string") return refused(at);
  if (at.folders === undefined) return refused("The working directory is not known at this point.");
  const [command, ...rest] = global.operands;
  const name = only(command);
  const grammar = name === undefined ? undefined : Object.hasOwn(gitReaders, name) ? gitReaders[name] : undefined;
  if (name === "config") return answer(judgeConfig(rest, at), at);
  if (grammar === undefined)
    return refused(`git ${name ?? "(unknown)"} is not among the commands known to change nothing.`);
  return answer(judgeCommand(name!, grammar, rest, at), at);
}

const refused = (why: string): GitJudgement => ({ judgement: opaque(why), folders: [] });

function answer(judged: readonly Effect[] | string, at: Standpoint): GitJudgement {
  if (typeof judged === "string") return refused(judged);
  const folders = at.folders ?? [];
  const tree = folders.map((path) => reading(path, undefined, true));
  const isToldAll = judged.some((effect) => effect.do === "read" && effect.shows === "versions");
  return { judgement: { effects: isToldAll ? judged : [...tree, ...judged] }, folders };
}

/** Each `-C` is relative to the one before; `-c` may only set colours and similar. */
function moveTo(global: Parsed, from: Standpoint): Standpoint | string {
  let folders = from.folders;
  for (const { name, value } of global.given) {
    const word = only(value);
    if (name === "-c") {
      if (
        word === undefined ||
        !/^((color\.[\w.]+|core\.quotepath|log\.date|diff\.renames|core\.abbrev)=[\w:-]*|core\.pager=(cat)?)$/i.test(
          word,
        )
      ) {
        return "git -c may set a program that git runs.";
      }
    } else if (name === "-C") {
      if (word === undefined) return "The folder of git -C is not known before the run.";
      if (word.startsWith("~")) return "The folder of git -C is not known before the run.";
      const climbs = /(^|\/)\.\.(\/|$)/.test(word);
      if (climbs && !(folders?.every((folder) => folder === from.start) && /^(\.\.?\/?)+([^.]|\.[^.])*$/.test(word))) {
        return "Where .. leads behind a folder that may be a link is not known.";
      }
      folders = word === "" ? folders : folders?.map((folder) => resolve(folder, word));
    }
  }
  return folders === from.folders ? from : { ...from, folders };
}

function judgeCommand(
  name: string,
  grammar: GitGrammar,
  args: readonly Value[],
  at: Standpoint,
): readonly Effect[] | string {
  const [before, after] = cutAtDashes(args);
  const parsed = parseOptions(before, grammar.options, { gluing: true });
  if (typeof parsed === "string") return parsed;
  if (grammar.with !== undefined && !parsed.has(...grammar.with))
    return `Without ${grammar.with[0]} it may change something.`;
  const formats = parsed.given.filter((one) => /^--(format|pretty|group)$/.test(one.name) && one.value !== undefined);
  const orders = parsed.given.filter(({ name: option }) => option === "--sort");
  if (
    formats.some(({ value }) => /%[-+ ]?G|%\(\*?signature/.test(only(value) ?? "%G")) ||
    orders.some(({ value }) => /signature/.test(only(value) ?? "signature"))
  )
    return "The format may check signatures, which runs a program.";
  if (
    parsed.given.some(
      (one) => one.name === "--submodule" && !PLAIN_SUBMODULES.test(only(one.value ?? text("log")) ?? ""),
    )
  )
    return "The content of a submodule is compared by the configuration of that submodule.";
  if (parsed.given.some((one) => one.name === "--diff-merges" && !PLAIN_MERGES.test(only(one.value) ?? "")))
    return "Showing a merge may make it again, with a program that the repository names.";
  const operands = [...parsed.operands, ...after];
  const problem = checkOperands(name, grammar, parsed, operands, operands[0] !== undefined && operands[0] === args[0]);
  if (problem !== undefined) return problem;

  const effects: Effect[] = showsVersions(name, parsed, operands)
    ? (at.folders ?? []).map((path) => ({ ...reading(path, undefined, true), shows: "versions" as const }))
    : [];
  const unnamed = readGiven(parsed, effects, at);
  if (unnamed !== undefined) return unnamed;
  if (grammar.operands === "files") {
    const files = grammar.verbs ? operands.slice(1) : operands;
    return files.map((value) => readInto(effects, value, at)).find((problem) => problem !== undefined) ?? effects;
  }
  if (grammar.operands !== "revisions") return effects;
  if (SHOWS.test(name) || showsVersions(name, parsed, operands))
    readPrivate([...operands, ...parsed.given.flatMap(traced)], effects, at);
  // A word is a revision or a path, and git does not follow links in it, so only a word that leaves the folder needs its own effect.
  // Outside a repository `diff` compares any two files.
  const outsideGit = parsed.has("--no-index");
  const mayBeOutside = name === "diff" && operands.length > 1;
  for (const value of operands) {
    if (!outsideGit && !leaves(value) && !(mayBeOutside && isBelow(value))) continue;
    const unread = readInto(effects, value, at, true);
    if (unread !== undefined) return unread;
  }
  return effects;
}

/** Commands that show the content of their files. */
const SHOWS = /^(diff|diff-(tree|index|files)|show|whatchanged|blame|annotate|grep|cat-file|range-diff)$/;
/** `-L 1,5:file`: the file whose lines are shown. */
const traced = ({ name, value }: Parsed["given"][number]): readonly Value[] =>
  name === "-L" && value?.kind === "text"
    ? [text(...value.texts.map((one) => one.slice(one.lastIndexOf(":") + 1)))]
    : [];

/** Whether present or past file content may be shown, and not only names and the amount of change. */
function showsVersions(name: string, parsed: Parsed, operands: readonly Value[]): boolean {
  if (parsed.has(...SEARCHES)) return true;
  if (PRINTS_REFS.test(name)) return parsed.given.some(showsRaw);
  const isPatch = parsed.has(...PATCHES);
  if (name === "status") return parsed.has("-v", "--verbose");
  if (/^(log|reflog)$/.test(name)) return isPatch;
  if (name === "stash") return isPatch || only(operands[0]) === "show";
  if (!SHOWS.test(name)) return false;
  const tellsFacts = parsed.has(...FACTS) && !isPatch && !parsed.has("--submodule", "--no-index");
  // An operand of `show` may be a stored file itself, which it prints regardless of options.
  const isHead = operands.every((value) => /^HEAD[~^\d]*$/.test(only(value) ?? "")) && !parsed.has(...NAMES_REFS);
  return !(tellsFacts && (name.startsWith("diff") || (/^(show|whatchanged)$/.test(name) && isHead)));
}

/** Searching for words one after another reveals the content, even if only names are printed. */
const SEARCHES: readonly string[] = ["-S", "-G"];

/** Options that stand for names, which may name stored files. */
const NAMES_REFS: readonly string[] = ["--all", "--branches", "--tags", "--remotes", "--glob"];

const PRINTS_REFS = /^(for-each-ref|branch|tag)$/;

/** `%(raw)`: the whole object behind a name, which may be a file. An unknown format may contain it. */
const showsRaw = ({ name, value }: Parsed["given"][number]): boolean =>
  name === "--format" && /%\(\*?raw/.test(only(value) ?? "%(raw");

/** Forms of a comparison that print no line of a file. */
const FACTS: readonly string[] = [
  ...["--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--summary", "--raw", "--dirstat"],
  ...["--compact-summary", "--quiet", "--no-patch"],
];

const PATCHES: readonly string[] = [
  ...["-p", "-u", "-U", "--patch", "--unified", "-L", "-c", "--cc", "-m", "--word-diff", "--color-words", "-W"],
  ...["--function-context", "--patch-with-stat", "--patch-with-raw", "--diff-merges", "--full-diff", "--binary"],
  ...["--word-diff-regex", "--check"],
];

/** `.env`, `HEAD:.env`, `:0:.env`, `:(icase).ENV`: the past versions of a private file are private, too. */
function readPrivate(operands: readonly Value[], effects: Effect[], at: Standpoint): void {
  for (const value of operands) {
    const words =
      value.kind === "text" ? value.texts : value.kind === "name" ? value.heads.map((head) => head + value.rest) : [];
    for (const word of words) {
      if (/^:[!^]|^:\(exclude/.test(word)) continue;
      const path = word.replace(/^:\([^)]*\)/, "").replace(/^[^:]*:(\d:)?/, "");
      const meant = privateMeant(path === "" ? word : path) ?? (isPrivatePath(path) ? path : undefined);
      if (meant !== undefined) readInto(effects, { kind: "text", texts: [meant.replace(/^\/+/, "")] }, at);
    }
  }
}

/** Forms that describe a submodule without reading its content. */
const PLAIN_SUBMODULES = /^(short|log)$/;

/** Forms that show a merge by comparing existing commits. `remerge` repeats the merge with the drivers of the repository. */
const PLAIN_MERGES = /^(off|none|first-parent|1|separate|m|combined|c|dense-combined|cc)$/;

function checkOperands(
  name: string,
  grammar: GitGrammar,
  parsed: Parsed,
  operands: readonly Value[],
  isFirst: boolean,
): string | undefined {
  const first = only(operands[0]);
  if (grammar.verbs !== undefined) {
    if (operands.length === 0) return grammar.needs === undefined ? undefined : `git ${name} alone changes something.`;
    const needed = grammar.verbNeeds?.[first ?? ""];
    if (needed !== undefined && !parsed.has(needed)) return `Without ${needed} git ${name} ${first} asks the network.`;
    // An option before the word may change its meaning: `git stash -m list` stashes everything.
    return first !== undefined && grammar.verbs.includes(first) && isFirst
      ? undefined
      : `This form of git ${name} may change something.`;
  }
  if (operands.length === 0) return undefined;
  if (grammar.notVerbs !== undefined && (first === undefined || grammar.notVerbs.includes(first))) {
    return `This form of git ${name} may change something.`;
  }
  const isAllowed = grammar.operandsWith === undefined || parsed.has(...grammar.operandsWith);
  if (grammar.operands === "none" || !isAllowed) return `With an operand git ${name} may change something.`;
  const count = operands.every(isOneWord) ? operands.length : Number.POSITIVE_INFINITY;
  return grammar.most !== undefined && count > grammar.most
    ? `With more operands git ${name} changes something.`
    : undefined;
}

function cutAtDashes(args: readonly Value[]): [readonly Value[], readonly Value[]] {
  const cut = args.findIndex((value) => only(value) === "--");
  return cut < 0 ? [args, []] : [args.slice(0, cut), args.slice(cut + 1)];
}

/** Whether a path is absolute or has a `..` segment; `HEAD~2..HEAD` has none. Unknown text may be either. */
function leaves(value: Value): boolean {
  const heads =
    value.kind === "text"
      ? value.texts
      : value.kind === "name"
        ? value.heads.map((head) => head + value.rest)
        : [value.kind !== "number" && value.tame ? value.head : "/"];
  return heads.some((head) => head.startsWith("/") || /(^|\/)\.\.(\/|$)/.test(head));
}

/** A path through a folder, or a name with a slash in it. */
const isBelow = (value: Value): boolean => (only(value) ?? (value.kind === "name" ? value.rest : "")).includes("/");

/** Adds the files that options name. */
function readGiven({ given }: Parsed, effects: Effect[], at: Standpoint): string | undefined {
  for (const { takes, value } of given) {
    const problem = takes === "read" && value !== undefined ? readInto(effects, value, at) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const SECRETIVE = /token|passw|secret|header|auth|cred/i;

function judgeConfig(args: readonly Value[], at: Standpoint): readonly Effect[] | string {
  const [verb, ...rest] = args;
  const isNew = only(verb) === "get" || only(verb) === "list";
  const parsed = parseOptions(isNew ? rest : args, GIT_CONFIG, { gluing: true, permute: false });
  if (typeof parsed === "string") return parsed;
  // After the name a word is a value, whatever it looks like; versions of git differ in that.
  if (parsed.operands.some((value) => !isOneWord(value) || mayBeOption(value)))
    return "The words of git config are not known.";
  const name = only(parsed.operands[0]) ?? "";
  const isGet =
    isNew || parsed.has(...GIT_CONFIG_GETS) || (parsed.operands.length === 1 && /^[\w-]+\.[\w.-]+$/.test(name));
  if (SECRETIVE.test(name)) return "It may show a secret that the configuration holds.";
  if (!isGet) return "git config sets a value unless it is told to get one.";
  const effects: Effect[] = [];
  const unnamed = readGiven(parsed, effects, at);
  if (unnamed !== undefined) return unnamed;
  return effects;
}
