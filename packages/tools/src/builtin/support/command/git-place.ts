import { basename, type RunEffect, resolve } from "@haft/core/tool";

export const isGit = (effect: RunEffect): boolean => basename(effect.argv[0] ?? "") === "git";

/** The folder where git works: the argument of its `-C`. */
export function placeOf({ argv, cwd }: RunEffect): string {
  let place = cwd;
  for (let at = 1; argv[at]?.startsWith("-"); at += TAKING.has(argv[at]!) ? 2 : 1)
    if (argv[at] === "-C") place = resolve(place, argv[at + 1] ?? ".");
  return place;
}

/** The subcommand of git. */
export function wordOf({ argv }: RunEffect): string {
  let at = 1;
  while (argv[at]?.startsWith("-")) at += TAKING.has(argv[at]!) ? 2 : 1;
  return argv[at] ?? "";
}

/** Options of git itself that take an argument. */
const TAKING: ReadonlySet<string> = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"]);
