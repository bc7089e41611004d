import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { RECURSES, TELLS_FACTS } from "./deep.ts";
import { below, type LinkedTree, matcherOf, segmentOf, WILD } from "./links.ts";

type Test = (path: string) => boolean;

const LISTERS = /^(g?find|fd|ls|rg|[ef]?grep|git)$/;
const FEEDERS = /^(find|xargs|fd)$/;

/**
 * The folders of which these effects may show the content of files that nobody named, and of which ones: what goes through trees
 * by itself, what is handed names on, and wildcards. Patterns by which a command chooses files count, where they are plain.
 */
export function openedUnnamed(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  const listed = runs.filter(({ argv }) => LISTERS.test(basename(argv[0] ?? ""))).map(chosenBy);
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

/** Which files a program chooses by patterns of names among its options: in doubt all. */
function chosenBy({ argv }: RunEffect): Test {
  const [program = "", ...words] = argv;
  const name = basename(program);
  const { wanted, unwanted } = /find$/.test(name) ? namesOfFind(words) : globsOf(name, words);
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

function globsOf(name: string, words: readonly string[]): Choice {
  const valuesOf = (options: RegExp): readonly string[] =>
    words.flatMap((word, index) => {
      const [, option = "", value] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
      return options.test(option) ? [value ?? words[index + 1] ?? ""] : [];
    });
  if (/grep$/.test(name)) return choice(valuesOf(/^--include$/), valuesOf(/^--exclude$/));
  if (!/^(rg|fd)$/.test(name)) return ALL;
  // No type of its own has keys in it.
  if (words.some((word) => /^(-t|--type=?)/.test(word)) && !words.some((word) => word.startsWith("--type-add")))
    return NONE;
  const globs = valuesOf(/^(-g|--glob|--iglob)$/);
  const isOut = (glob: string) => glob.startsWith("!");
  return choice(
    globs.filter((glob) => !isOut(glob)),
    globs.filter(isOut).map((glob) => glob.slice(1)),
  );
}

/** Where one pattern is not plain, nothing is known of what is wanted. */
const choice = (wanted: readonly string[], unwanted: readonly string[]): Choice => ({
  wanted: wanted.every((one) => PLAIN.test(one)) ? patterns(wanted) : [],
  // What is left out has to be so for certain, to the letter.
  unwanted: patterns(unwanted).map(({ source }) => new RegExp(source, "u")),
});

/** `-name` in all alternatives, or `-not -name` where there are no alternatives. */
function namesOfFind(words: readonly string[]): Choice {
  const named = words.flatMap((word, index) =>
    /^-i?name$/.test(word) ? [{ glob: words[index + 1] ?? "", isNot: /^(!|-not)$/.test(words[index - 1] ?? "") }] : [],
  );
  const alternatives = words.filter((word) => /^(-o|-or|,)$/.test(word)).length;
  const wanted = named.filter(({ isNot }) => !isNot).map(({ glob }) => glob);
  if (alternatives === 0)
    return choice(
      wanted,
      named.filter(({ isNot }) => isNot).map(({ glob }) => glob),
    );
  const isGrouped = words.some((word) => /^(\(|!|-not)$/.test(word));
  return wanted.length === alternatives + 1 && !isGrouped ? choice(wanted, []) : ALL;
}
