import { starterLookup } from "./starter-lookup.ts";

/** Returns the name that makes a file run on its own or govern tools, beyond the protected names. `undefined` for ordinary files. */
export type AutoRun = (path: string) => string | undefined;

/** Files that run later although nobody names them. Optionally without those that an approved installer may put there. */
export function autoRunFiles({ programs = true } = {}): AutoRun {
  const lookup = starterLookup();
  return (path) => {
    const found = lookup(path);
    return found?.guard === "held" || (found?.guard === "programs" && !programs) ? undefined : found?.name;
  };
}

/** Why a mode that accepts edits asks before one: something runs the file, or takes orders from it. */
export function askedStarts(): (path: string) => string | undefined {
  const lookup = starterLookup();
  return (path) => {
    const found = lookup(path);
    return found?.guard === "asked" || found?.guard === "programs" ? found.why : undefined;
  };
}
