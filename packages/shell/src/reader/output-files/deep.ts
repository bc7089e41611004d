import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { picksPrivate } from "./private.ts";

/** Programs that only show names and facts of their files. */
export const TELLS_FACTS: ReadonlySet<string> = new Set(
  "ls dir vdir stat file du wc realpath readlink basename dirname namei touch test [ echo printf find fd tree md5sum sha1sum sha256sum sha512sum cksum b2sum".split(
    " ",
  ),
);
/** The ones among these that only show names, and what a listing shows. */
export const TELLS_NAMES: ReadonlySet<string> = new Set(
  "ls dir vdir stat find fd tree realpath readlink basename dirname namei test [ echo printf du".split(" "),
);
/** Programs that pass on their input, and open only files named on the command line. */
const SIEVES = /^(head|tail|sort|uniq|wc|[ef]?grep|cut|tr|nl|cat|true|false|:|cd|pwd)$/;
const GIT_NAMES =
  /^(status|log|reflog|diff|diff-(tree|index|files)|show|whatchanged|branch|tag|remote|stash|ls-(files|tree)|rev-(parse|list)|describe|shortlog|merge-base|name-rev|for-each-ref|show-ref|show-branch|symbolic-ref|count-objects|cherry|worktree)$/;
/** Programs that find their files without operands. */
export const WALKS = /^(git|rg|ag|cloc|tokei|scc|e[xz]a|gofmt|ugrep|lsd|dust|ast-grep)$/;
const LISTS_ALL = /^(find|xargs|fd)$/;
export const RECURSES = /^(-[a-zA-Z\d]*[rR][a-zA-Z\d]*|--recursive|--dereference-recursive)$/;
/** Options that make tree programs follow links, too. Any word that could be one counts. */
const FOLLOWING: Readonly<Record<string, readonly RegExp[]>> = {
  grep: [/^-(?!-).*R|^--deref/],
  rg: [/^-(?!-).*L|^--follow/],
  find: [/^-(L|follow)$/],
  ls: [/^-(?!-).*R|^--rec/, /^-(?!-).*L|^--deref/],
  tree: [/^-(?!-).*l/],
  du: [/^-(?!-).*L|^--deref/],
  ugrep: [/^-(?!-).*[RS]|^--deref/],
};
const SAME: Readonly<Record<string, string>> = {
  ...{ egrep: "grep", fgrep: "grep", gfind: "find", fd: "rg", dir: "ls", vdir: "ls" },
};

/** Whether a command has an option to open or list the targets of links in its trees. */
export function isToldToFollow([program = "", ...words]: readonly string[]): boolean {
  const name = basename(program);
  const told = FOLLOWING[SAME[name] ?? name];
  return told?.every((option) => words.some((word) => option.test(word))) ?? false;
}

/** Whether a command follows links; `diff` does so without an option. */
export const followsLinks = ({ argv }: RunEffect): boolean =>
  isToldToFollow(argv) || /^(color)?diff$/.test(basename(argv[0] ?? ""));
const SEES_HIDDEN = /^(--hidden|--unrestricted|-[a-zA-Z]*[u.][a-zA-Z.]*)$/;

/**
 * The same effects, with reads marked that only reveal names: `ls -R`, `find | head`, `git status`, `[ -f .env ]`. For named files this
 * holds only if none is opened.
 */
export function withNames(effects: readonly Effect[]): readonly Effect[] {
  const reads = effects.filter((effect): effect is ReadEffect => effect.do === "read" && effect.tree === true);
  const tellsNames = ({ argv, wrappers = [], text }: RunEffect): boolean => {
    const [program = "", ...words] = argv;
    const name = basename(program);
    const own = reads.filter(({ of }) => of === text);
    if (wrappers.some((wrapper) => !LISTS_ALL.test(basename(wrapper)))) return false;
    if (name === "git") return GIT_NAMES.test(words[0] ?? "") && own.every(({ shows }) => shows !== "versions");
    if (TELLS_NAMES.has(name)) return true;
    const isHanded = wrappers.length > 0 || words.some((word) => /[$`]|^--fi/.test(word));
    return SIEVES.test(name) && own.length === 0 && !isHanded;
  };
  const areNames = effects.every(
    (effect) =>
      (effect.do === "read" && (!effect.tree || effect.of !== undefined)) ||
      (effect.do === "run" && !effect.opaque && tellsNames(effect)),
  );
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  const tells = ({ argv: [name = ""] }: RunEffect) => TELLS_NAMES.has(basename(name));
  // In a function called twice, `"$1" .env` may be a program of either sort.
  const isTold = ({ of, shows }: ReadEffect) =>
    shows === "names" || (of !== undefined && runs.every((run) => run.text !== of || tells(run)));
  // If one command only reports on a file, another one may open it by a second name.
  const areTold = areNames && effects.every((effect) => effect.do !== "read" || effect.tree || isTold(effect));
  return effects.map((effect) => {
    if (effect.do !== "read") return effect;
    if (effect.tree ? areNames : areTold) return { ...effect, shows: "names" };
    const { shows, ...read } = effect;
    return shows === "names" ? read : effect;
  });
}

/**
 * Folders in which these effects may show the content of every file, even hidden ones, without naming them: `grep -r`, `rg --hidden`, `find
 * -exec cat`. A wildcard does not count, since it leaves hidden files out.
 */
export function deeplyRead(effects: readonly Effect[]): readonly string[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run" && readsDeeply(effect));
  const texts = new Set(runs.map(({ text }) => text));
  // A variable may contain any listed name, from any command.
  const isHanded = runs.some(({ argv }) => argv.slice(1).some((word) => /[$`]/.test(word)));
  const roots = effects.flatMap((effect) =>
    effect.do === "read" && effect.tree && (isHanded || (effect.of !== undefined && texts.has(effect.of)))
      ? [effect.path]
      : [],
  );
  return [...new Set(roots)];
}

function readsDeeply({ argv, wrappers = [] }: RunEffect): boolean {
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (TELLS_FACTS.has(name)) return false;
  // A substitution or a loop may pass on any file of the tree.
  if (words.some((word) => /[$`]/.test(word)) || wrappers.some((wrapper) => LISTS_ALL.test(basename(wrapper))))
    return true;
  if (/^[ef]?grep$|^diff$/.test(name)) return words.some((word) => RECURSES.test(word));
  if (name === "rg" || name === "ag") return words.some((word, index) => seesHidden(word, words[index - 1] ?? ""));
  return false;
}

/** `--hidden`, and options that also select hidden files: a pattern that matches some, a type that includes some. */
function seesHidden(word: string, before: string): boolean {
  if (SEES_HIDDEN.test(word) || /^--type-add/.test(word)) return true;
  const glob = /^(-[a-zA-Z]*g|--i?glob)$/.test(before) ? word : /^(?:-[a-zA-Z]*?g|--i?glob=)(.+)/.exec(word)?.[1];
  const type = /^(-[a-zA-Z]*t|--type)$/.test(before) ? word : /^(?:-[a-zA-Z]*?t|--type=)(.+)/.exec(word)?.[1];
  return (glob !== undefined && !glob.startsWith("!") && picksPrivate(glob)) || /^(sh|all)$/.test(type ?? "");
}
