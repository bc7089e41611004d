import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { followsLinks, RECURSES, TELLS_FACTS, TELLS_NAMES } from "./deep.ts";
import { below, type LinkedTree, matcherOf, segmentOf, split, WILD } from "./links.ts";

type Test = (path: string) => boolean;

const LISTERS = /^(g?find|fd|ls|rg|[ef]?grep|git)$/;
const FEEDERS = /^(find|xargs|fd)$/;

/**
 * Folders in which these effects may show the content of unnamed files, with a test for which files. Sources are programs that walk trees,
 * programs that get names from others, and wildcards. Plain patterns with which a command chooses files count.
 */
export function openedUnnamed(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  const listed = runs.filter(({ argv }) => LISTERS.test(basename(argv[0] ?? ""))).map((run) => chosenBy(run));
  const isListed: Test = (path) => listed.length === 0 || listed.some((test) => test(path));
  return runs.flatMap((run) => {
    const test = openedBy(run, isListed);
    if (!test) return [];
    const roots = effects.filter(
      (effect): effect is ReadEffect => effect.do === "read" && effect.tree === true && effect.of === run.text,
    );
    return roots.map(({ path: root }) => ({ root, opens: (path: string) => test(below(root, path).join("/")) }));
  });
}

/**
 * Folders in which these effects may show any file content, named or not, with a test for which files. Narrower than the whole folder only
 * if nothing can come between the pattern that chooses files and the program that opens them.
 */
export function shownUnnamed(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  return effects.flatMap((effect) => {
    if (effect.do !== "read" || !effect.tree) return [];
    const { path: root } = effect;
    // A variable or a substitution may pass on any listed name, from any command.
    const tests = runs.filter((run) => run.text === effect.of || isHanded(run)).map((run) => shownBy(run, runs));
    const isTold = effect.of !== undefined && effect.shows !== "versions";
    if (isTold && tests.every((test) => test === undefined)) return [];
    const opens = (path: string) => !isTold || tests.some((test) => test?.(below(root, path).join("/")));
    return [{ root, opens }];
  });
}

const ALWAYS: Test = () => true;
const isHanded = ({ argv }: RunEffect): boolean => argv.slice(1).some((word) => /[$`]/.test(word));
/** Programs that only open their operands. */
const OPENERS = /^(cat|tac|head|tail|sed|[gm]?awk|[ef]?grep|cut|sort|uniq|nl|wc|rev|od|xxd|hexdump|strings|jq)$/;
/** Filters between names and the program that opens them: they change no name. */
const SIEVES = /^(sort|head|tail|uniq|wc)$/;

function shownBy(run: RunEffect, runs: readonly RunEffect[]): Test | undefined {
  const [program = "", ...words] = run.argv;
  const name = basename(program);
  if (TELLS_NAMES.has(name) || name === "git") return undefined;
  const isFed = (one: RunEffect) => (one.wrappers ?? []).some((wrapper) => FEEDERS.test(basename(wrapper)));
  const handed = words.filter((word) => /[$`]|\{\}/.test(word));
  if (isFed(run) || handed.length > 0) {
    const listers = runs.filter(({ argv: [first = ""] }) => LISTERS.test(basename(first)));
    const isPlain = runs.every((one) => {
      const first = basename(one.argv[0] ?? "");
      return one === run || listers.includes(one) || isFed(one) || SIEVES.test(first);
    });
    const isHandedOn = handed.every((word) => word === "{}" || /^\$\(.*\)$/s.test(word));
    if (!OPENERS.test(name) || !isPlain || !isHandedOn || words.some((word) => WILD.test(word))) return ALWAYS;
    const chosen = listers.filter((one) => one !== run).map((one) => chosenBy(one, false));
    return chosen.length === 0 ? ALWAYS : (path) => chosen.some((test) => test(path));
  }
  if (/^(rg|[ef]?grep)$/.test(name) && (name === "rg" || words.some((word) => RECURSES.test(word))))
    return chosenBy(run, false);
  const wild = words.filter((word) => WILD.test(word)).map(matcherOf);
  if (!OPENERS.test(name) || wild.length === 0) return ALWAYS;
  return (path) => wild.some((matches) => matches === undefined || matches(path.split("/")));
}

/** Which files of its trees a command may show, by their relative paths. Nothing if it shows none. */
function openedBy(run: RunEffect, isListed: Test): Test | undefined {
  const { argv, wrappers = [] } = run;
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (TELLS_FACTS.has(name) || name === "git") return undefined;
  if (words.some((word) => /[$`]/.test(word)) || wrappers.some((wrapper) => FEEDERS.test(basename(wrapper))))
    return isListed;
  if (/^(rg|ag)$/.test(name) || (/^[ef]?grep$|^diff$/.test(name) && words.some((word) => RECURSES.test(word))))
    return chosenBy(run);
  const wild = words.filter((word) => WILD.test(word)).map(matcherOf);
  if (wild.length === 0) return undefined;
  return (path) => wild.some((matches) => matches === undefined || matches(path.split("/")));
}

/**
 * Which files a program chooses by name patterns among its options. All if in doubt, or if it follows links: a link may have any name.
 * `typed`: types of ripgrep count, and none includes keys.
 */
function chosenBy(run: RunEffect, typed = true): Test {
  if (followsLinks(run)) return ALWAYS;
  const [program = "", ...words] = run.argv;
  const name = basename(program);
  const { wanted, unwanted } = /find$/.test(name) ? namesOfFind(words) : globsOf(name, words, typed);
  return (path) => {
    const last = basename(path);
    return (wanted.length === 0 || wanted.some((one) => one.test(last))) && !unwanted.some((one) => one.test(last));
  };
}

interface Choice {
  readonly wanted: readonly RegExp[];
  readonly unwanted: readonly RegExp[];
}

const ALL: Choice = { wanted: [], unwanted: [] };
const NONE: Choice = { wanted: [], unwanted: [/^/] };
const PLAIN = /^[\w.+,:=@%*?-]+$/;

/** Patterns without braces and classes. Another pattern may match any file, so it excludes none. */
const patterns = (globs: readonly string[]): readonly RegExp[] => globs.filter((one) => PLAIN.test(one)).map(segmentOf);

/** Options without a text, or with the text in the same word: a word after another option could be its value. */
const LONG =
  "--(?:recursive|line-number|ignore-case|files-with-matches|no-messages|word-regexp|hidden|no-heading|count|only-matching|[a-z-]+=.*)";
const FLAGS = {
  grep: new RegExp(`^(?:-[a-zA-Z]*[acEFGhHiIlLnoPqrRsvwxz]|${LONG})$`, "s"),
  rg: new RegExp(`^(?:-[a-zA-Z]*[acFHiIlLnNopPqsSuUvwxz0]|${LONG})$`, "s"),
  find: /^(?:-(?:not|o|or|a|and|print|print0|depth|xdev|mount|prune|empty|follow|[LHP])|!)$/,
};

/** Whether each word that the test finds is certainly an option, and not a value, pattern or operand that looks like one. */
const areOptions = (words: readonly string[], flag: RegExp, isOption: (word: string) => boolean): boolean =>
  !words.includes("--") &&
  words.every((word, index) => {
    const before = words[index - 1] ?? "";
    return !isOption(word) || !before.startsWith("-") || flag.test(before);
  });

function globsOf(name: string, words: readonly string[], typed: boolean): Choice {
  const isFilter = (word: string) => /^(--(in|ex)clude\b|-g|--i?glob\b|-t|--type\b)/.test(word);
  if (!areOptions(words, name === "rg" ? FLAGS.rg : FLAGS.grep, isFilter)) return ALL;
  const valuesOf = (options: RegExp): readonly string[] =>
    words.flatMap((word, index) => {
      const [, option = "", value] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
      return options.test(option) ? [value ?? words[index + 1] ?? ""] : [];
    });
  if (/grep$/.test(name)) {
    const [wanted, unwanted] = [valuesOf(/^--include$/), valuesOf(/^--exclude$/)];
    // With both kinds their order decides.
    return wanted.length > 0 && unwanted.length > 0 ? ALL : choice(wanted, unwanted);
  }
  if (!/^(rg|fd)$/.test(name)) return ALL;
  // No built-in type of ripgrep includes keys.
  if (
    typed &&
    name === "rg" &&
    words.some((word) => /^(-t|--type=?)/.test(word)) &&
    !words.some((word) => word.startsWith("--type-add"))
  )
    return NONE;
  const globs = valuesOf(/^(-g|--glob|--iglob)$/);
  const isOut = (glob: string) => glob.startsWith("!");
  const wanted = globs.filter((glob) => !isOut(glob));
  return choice(wanted, wanted.length > 0 ? [] : globs.filter(isOut).map((glob) => glob.slice(1)));
}

/** If one pattern is not plain, the wanted files are unknown. */
const choice = (wanted: readonly string[], unwanted: readonly string[]): Choice => ({
  wanted: wanted.every((one) => PLAIN.test(one)) ? patterns(wanted) : [],
  // An exclusion must be certain, with exact case.
  unwanted: patterns(unwanted).map(({ source }) => new RegExp(source, "u")),
});

const NOT = /^(!|-not)$/;
const ACTION = /^-(print0?|printf|f?ls|f?print|exec(dir)?|ok(dir)?|quit|delete)$/;

/** A `-name` before the action, in each alternative, or `-not -name` without alternatives. In brackets it may mean anything. */
function namesOfFind(words: readonly string[]): Choice {
  const isName = (word: string) => /^-i?name$/.test(word);
  const isTwiceNot = words.some((word, index) => NOT.test(word) && NOT.test(words[index + 1] ?? ""));
  if (words.some((word) => /^[(),]$/.test(word)) || isTwiceNot || !areOptions(words, FLAGS.find, isName)) return ALL;
  const alternatives = split(words, /^(-o|-or)$/).map((part) => namesIn(beforeAction(part), isName));
  const [only] = alternatives;
  if (alternatives.length === 1 && only) return choice(only.wanted, only.unwanted);
  return alternatives.every(({ wanted }) => wanted.length > 0)
    ? choice(
        alternatives.flatMap((one) => one.wanted),
        [],
      )
    : ALL;
}

function beforeAction(words: readonly string[]): readonly string[] {
  const cut = words.findIndex((word) => ACTION.test(word));
  return cut < 0 ? words : words.slice(0, cut);
}

function namesIn(words: readonly string[], isName: (word: string) => boolean) {
  const after = (isNot: boolean): readonly string[] =>
    words.flatMap((word, index) =>
      isName(word) && NOT.test(words[index - 1] ?? "") === isNot ? [words[index + 1] ?? ""] : [],
    );
  return { wanted: after(false), unwanted: after(true) };
}
