import { createStarterLookup } from "./starter-lookup.ts";

/** The name under which a file runs by itself or governs tools, beyond what is protected; `undefined` for ordinary files. */
export type AutoRun = (path: string) => string | undefined;

/** Files that run later without anybody naming them; without those that an approved installer may put there, if so wished. */
export function autoRunFiles({ programs = true } = {}): AutoRun {
  const lookup = createStarterLookup();
  return (path) => {
    const found = lookup(path);
    return found?.guard === "held" || (found?.guard === "programs" && !programs) ? undefined : found?.name;
  };
}

/** Why a mode that accepts edits asks before one: what runs the file, or takes orders from it. */
export function askedStarts(): (path: string) => string | undefined {
  const lookup = createStarterLookup();
  return (path) => {
    const found = lookup(path);
    return found?.guard === "asked" || found?.guard === "programs" ? found.why : undefined;
  };
}
