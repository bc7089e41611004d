import { basename, type Effect, type RunEffect } from "@haft/core/tool";
import { picksPrivate } from "./private.ts";

/** Programs that tell of the files they are given no more than names and facts. */
export const TELLS_FACTS: ReadonlySet<string> = new Set(
  "ls dir vdir stat file du wc realpath readlink basename dirname namei touch test [ echo printf find fd tree md5sum sha1sum sha256sum sha512sum cksum b2sum".split(
    " ",
  ),
);
/** Programs that find their files themselves. */
export const WALKS = /^(git|rg|ag|cloc|tokei|scc|e[xz]a|gofmt|ugrep|lsd|dust)$/;
const LISTS_ALL = /^(find|xargs|fd)$/;
export const RECURSES = /^(-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|--dereference-recursive)$/;
const SEES_HIDDEN = /^(--hidden|--unrestricted|-[a-zA-Z]*[u.][a-zA-Z.]*)$/;

/**
 * The folders of which these effects may show the content of every file, hidden ones too, without naming them: `grep -r`,
 * `rg --hidden`, `find -exec cat`. What a wildcard names is no such reading, since it leaves hidden files out.
 */
export function deeplyRead(effects: readonly Effect[]): readonly string[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run" && readsDeeply(effect));
  const texts = new Set(runs.map(({ text }) => text));
  const roots = effects.flatMap((effect) =>
    effect.do === "read" && effect.tree && effect.of !== undefined && texts.has(effect.of) ? [effect.path] : [],
  );
  return [...new Set(roots)];
}

function readsDeeply({ argv, wrappers = [] }: RunEffect): boolean {
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (TELLS_FACTS.has(name)) return false;
  // What a substitution or a loop hands on may be any file of the tree.
  if (words.some((word) => /[$`]/.test(word)) || wrappers.some((wrapper) => LISTS_ALL.test(basename(wrapper))))
    return true;
  if (/^[ef]?grep$|^diff$/.test(name)) return words.some((word) => RECURSES.test(word));
  if (name === "rg" || name === "ag") return words.some((word, index) => seesHidden(word, words[index - 1] ?? ""));
  return false;
}

/** `--hidden`, and what picks hidden files too: a pattern that some of them match, a type that has some. */
function seesHidden(word: string, before: string): boolean {
  if (SEES_HIDDEN.test(word) || /^--type-add/.test(word)) return true;
  const glob = /^(-[a-zA-Z]*g|--i?glob)$/.test(before) ? word : /^(?:-[a-zA-Z]*?g|--i?glob=)(.+)/.exec(word)?.[1];
  const type = /^(-[a-zA-Z]*t|--type)$/.test(before) ? word : /^(?:-[a-zA-Z]*?t|--type=)(.+)/.exec(word)?.[1];
  return (glob !== undefined && !glob.startsWith("!") && picksPrivate(glob)) || /^(sh|all)$/.test(type ?? "");
}
