import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { followsLinks, RECURSES, TELLS_FACTS, TELLS_NAMES } from "./deep.ts";
import { below, type LinkedTree, matcherOf, segmentOf, split, WILD } from "./links.ts";

type Test = (path: string) => boolean;

const LISTERS = /^(g?find|fd|ls|rg|[ef]?grep|git)$/;
const FEEDERS = /^(find|xargs|fd)$/;

/**
 * The folders of which these effects may show the content of files that nobody named, and of which ones: what goes through trees
 * by itself, what is handed names on, and wildcards. Patterns by which a command chooses files count, where they are plain.
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
 * The folders of which these effects may show the content of files at all, whatever they are called, and of which ones. Narrower
 * than the whole folder only where nothing can come between the pattern by which files are chosen and the program that opens them.
 */
export function shownUnnamed(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  return effects.flatMap((effect) => {
    if (effect.do !== "read" || !effect.tree) return [];
    const { path: root } = effect;
    // What a variable or a substitution hands on may be any name that was listed, whoever listed it.
    const tests = runs.filter((run) => run.text === effect.of || isHanded(run)).map((run) => shownBy(run, runs));
    const isTold = effect.of !== undefined && effect.shows !== "versions";
    if (isTold && tests.every((test) => test === undefined)) return [];
    const opens = (path: string) => !isTold || tests.some((test) => test?.(below(root, path).join("/")));
    return [{ root, opens }];
  });
}

const ALWAYS: Test = () => true;
const isHanded = ({ argv }: RunEffect): boolean => argv.slice(1).some((word) => /[$`]/.test(word));
/** Programs that open what they are given and nothing else. */
const OPENERS = /^(cat|tac|head|tail|sed|[gm]?awk|[ef]?grep|cut|sort|uniq|nl|wc|rev|od|xxd|hexdump|strings|jq)$/;
/** What may stand between names and who opens them: it changes none. */
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

/** Which files of its trees a command may show, by their paths from there; nothing where it shows none. */
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
 * Which files a program chooses by patterns of names among its options: in doubt all, and by the name of a link it may be any. `typed`:
 * types of ripgrep count, which have no keys.
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

/** Patterns without braces and classes; another one may mean any file, so it chooses none out. */
const patterns = (globs: readonly string[]): readonly RegExp[] => globs.filter((one) => PLAIN.test(one)).map(segmentOf);

/** Options that take no further word, and those that have theirs with them: what stands behind another one could be its value. */
const LONG =
  "--(?:recursive|line-number|ignore-case|files-with-matches|no-messages|word-regexp|hidden|no-heading|count|only-matching|[a-z-]+=.*)";
const FLAGS = {
  grep: new RegExp(`^(?:-[a-zA-Z]*[acEFGhHiIlLnoPqrRsvwxz]|${LONG})$`, "s"),
  rg: new RegExp(`^(?:-[a-zA-Z]*[acFHiIlLnNopPqsSuUvwxz0]|${LONG})$`, "s"),
  find: /^(?:-(?:not|o|or|a|and|print|print0|depth|xdev|mount|prune|empty|follow|[LHP])|!)$/,
};

/** Whether each word that the test finds is an option for certain, and no value, pattern or operand that looks like one. */
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
    // Of both kinds the order decides.
    return wanted.length > 0 && unwanted.length > 0 ? ALL : choice(wanted, unwanted);
  }
  if (!/^(rg|fd)$/.test(name)) return ALL;
  // No type of ripgrep's own has keys in it.
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

/** Where one pattern is not plain, nothing is known of what is wanted. */
const choice = (wanted: readonly string[], unwanted: readonly string[]): Choice => ({
  wanted: wanted.every((one) => PLAIN.test(one)) ? patterns(wanted) : [],
  // What is left out has to be so for certain, to the letter.
  unwanted: patterns(unwanted).map(({ source }) => new RegExp(source, "u")),
});

const NOT = /^(!|-not)$/;
const ACTION = /^-(print0?|printf|f?ls|f?print|exec(dir)?|ok(dir)?|quit|delete)$/;

/** A `-name` in front of what is done, in each alternative, or `-not -name` where there are no alternatives. In brackets it may mean anything. */
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
