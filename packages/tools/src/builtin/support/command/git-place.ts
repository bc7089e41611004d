import { basename, type RunEffect, resolve } from "@haft/core/tool";

export const isGit = (effect: RunEffect): boolean => basename(effect.argv[0] ?? "") === "git";

/** Where git works: behind its `-C`. */
export function placeOf({ argv, cwd }: RunEffect): string {
  let place = cwd;
  for (let at = 1; argv[at]?.startsWith("-"); at += TAKING.has(argv[at]!) ? 2 : 1)
    if (argv[at] === "-C") place = resolve(place, argv[at + 1] ?? ".");
  return place;
}

/** The word that says what git shall do. */
export function wordOf({ argv }: RunEffect): string {
  let at = 1;
  while (argv[at]?.startsWith("-")) at += TAKING.has(argv[at]!) ? 2 : 1;
  return argv[at] ?? "";
}

/** Options of git itself with a word behind them. */
const TAKING: ReadonlySet<string> = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"]);
