import { basename, type Effect, isWithin, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { followsLinks, TELLS_FACTS, WALKS } from "./deep.ts";

/** A folder whose links may be opened by name. */
export interface LinkedTree {
  readonly root: string;
  /** Whether the link at this absolute path may be opened. */
  readonly opens: (link: string) => boolean;
  /** It continues in the folders that links lead to. */
  readonly goesOn?: true;
}

const always = (): boolean => true;

/**
 * Folders in which these effects may show the content behind links: a program that gets the name of a link opens its target. Programs that
 * walk a tree skip links unless an option tells them to follow, and so do commands that list files only.
 */
export function readThroughLinks(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  const areFiles = runs.every((run) => !listsNames(run) || listsOnlyFiles(run));
  return runs.flatMap((run) => {
    const reach = reachOf(run, areFiles);
    if (reach === undefined) return [];
    const roots = effects.filter(
      (effect): effect is ReadEffect => effect.do === "read" && effect.tree === true && effect.of === run.text,
    );
    return roots.map(({ path }) => ({
      root: path,
      ...(followsLinks(run) ? { goesOn: true } : {}),
      opens: reach === "all" ? always : (link) => isWithin(path, link) && reach.some((one) => one(below(path, link))),
    }));
  });
}

export const below = (root: string, path: string): readonly string[] =>
  path
    .slice(root === "/" ? 1 : root.length + 1)
    .split("/")
    .filter((segment) => segment !== "");

type Reach = "all" | readonly ((segments: readonly string[]) => boolean)[] | undefined;

const OPEN_WORD = /[$`]/;
export const WILD = /[*?[]/;
const NAMES_ON = /^(find|xargs|fd)$/;

function reachOf(run: RunEffect, areFiles: boolean): Reach {
  if (followsLinks(run)) return "all";
  const { argv, wrappers = [] } = run;
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (TELLS_FACTS.has(name) || WALKS.test(name)) return undefined;
  if (words.some((word) => OPEN_WORD.test(word))) return "all";
  const isFed = wrappers.some((wrapper) => NAMES_ON.test(basename(wrapper)));
  const wild = words.filter((word) => WILD.test(word));
  if (isFed && (!areFiles || wild.length > 0)) return "all";
  if (wild.length === 0) return undefined;
  const reaches = wild.map(matcherOf);
  return reaches.every((one) => one !== undefined) ? reaches : "all";
}

/**
 * The names that a pattern may match from its first wildcard on, including folders on the way. A pattern that is not plain may match
 * anything. Shell options may make it match hidden names, and names in other case.
 */
export function matcherOf(word: string): ((segments: readonly string[]) => boolean) | undefined {
  if (!/^[\w./+,:=@%*?-]*$/.test(word) || word.includes("**")) return undefined;
  const start = word.lastIndexOf("/", word.search(WILD)) + 1;
  const parts = word
    .slice(start)
    .split("/")
    .filter((part) => part !== "")
    .map(segmentOf);
  return (segments) =>
    segments.length <= parts.length && segments.every((segment, index) => parts[index]!.test(segment));
}

export const segmentOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.+]/g, "\\$&").replace(/\*/g, "[^]*").replace(/\?/g, "[^]")}$`, "iu");

/** Whether a program may print names that another one then gets. */
function listsNames({ argv }: RunEffect): boolean {
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (/^[ef]?grep$/.test(name)) return words.some((word) => /^(-[a-zA-Z]*[lL]|--files)/.test(word));
  return /^(g?find|fd|ls|rg|git)$/.test(name);
}

/** Whether none of these names is a link, unless somebody wrote it. */
function listsOnlyFiles({ argv }: RunEffect): boolean {
  const [program = "", ...words] = argv;
  if (words.some((word) => OPEN_WORD.test(word))) return false;
  switch (basename(program)) {
    case "find":
    case "gfind":
      return findsOnlyFiles(words);
    case "rg":
      return !words.some((word) => WILD.test(word) || /^(-[a-zA-Z]*L|--follow)/.test(word));
    case "grep":
    case "egrep":
      return (
        words.some((word) => /^(-[a-zA-Z]*r|--recursive$)/.test(word)) &&
        !words.some((word) => WILD.test(word) || /^(-[a-zA-Z]*R|--deref)/.test(word))
      );
    default:
      return false;
  }
}

const ACTION = /^-(print0?|printf|ls|exec|execdir|ok|okdir|quit)$/;

/** `find` with `-type f` before its actions, in each alternative that has one. */
function findsOnlyFiles(words: readonly string[]): boolean {
  if (words.some((word) => /^(-[LH]+|-follow|,)$/.test(word))) return false;
  const flat = withoutGroups(words);
  if (flat === undefined) return false;
  const cut = flat.findIndex((word) => ACTION.test(word));
  const tests = cut < 0 ? flat : flat.slice(0, cut);
  const alternatives = split(tests, /^-(o|or)$/);
  // Alternatives before an explicit action do nothing; alternatives after it are not checked.
  const doing = cut < 0 ? alternatives : alternatives.slice(-1);
  const isLast = cut < 0 || !flat.slice(cut).some((word) => /^-(o|or)$/.test(word));
  return isLast && doing.every(hasPlainFiles);
}

const hasPlainFiles = (tests: readonly string[]): boolean =>
  tests.some(
    (word, index) => word === "-type" && tests[index + 1] === "f" && !/^(!|-not)$/.test(tests[index - 1] ?? ""),
  );

/** A group in brackets is a test, unless it contains an action. */
function withoutGroups(words: readonly string[]): readonly string[] | undefined {
  const flat: string[] = [];
  let depth = 0;
  for (const word of words) {
    if (word === "(") {
      if (depth === 0) flat.push("-true");
      depth++;
    } else if (word === ")") depth--;
    else if (depth === 0) flat.push(word);
    else if (ACTION.test(word)) return undefined;
  }
  return depth === 0 ? flat : undefined;
}

export function split(words: readonly string[], at: RegExp): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (at.test(word)) parts.push([]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}
