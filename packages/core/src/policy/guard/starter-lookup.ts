import { longOf, plainSpelling, shortSpelling } from "./spelling.ts";
import { STARTERS, type Starters, UNPROTECTED_FOLDERS } from "./starters.ts";

/** Describes a path that something runs or takes orders from. */
export interface Starter extends Pick<Starters, "why" | "guard"> {
  /** The name in the table that matches the path or a folder that contains it. */
  readonly name: string;
  /** The names after that name. */
  readonly rest: readonly string[];
}

interface Entry extends Pick<Starters, "why" | "guard"> {
  readonly name: string;
  readonly parts: readonly string[];
  readonly isFolder: boolean;
}

/** Finds the table entry for a path or for a folder that contains it; held entries come first. */
export type StarterLookup = (path: string) => Starter | undefined;

let shared: StarterLookup | undefined;

/** The lookup in the table, which all sessions of a process share. Built at its first use. */
export const starterLookup = (): StarterLookup => {
  shared ??= createStarterLookup();
  return shared;
};

function createStarterLookup(): StarterLookup {
  const entries = STARTERS.flatMap(({ why, guard, folders = [], files = [] }) => [
    ...folders.map((name): Entry => ({ name, why, guard, parts: partsOf(name), isFolder: true })),
    ...files.map((name): Entry => ({ name, why, guard, parts: partsOf(name), isFolder: false })),
  ]);
  const byFirst = Map.groupBy(entries, ({ parts }) => parts[0] ?? "");
  const byShort = Map.groupBy(entries, ({ parts }) => shortSpelling(parts[0] ?? ""));
  const ends = STARTERS.flatMap(({ why, guard, ends: all = [] }) => all.map((end) => ({ why, guard, end })));
  const free = UNPROTECTED_FOLDERS.map(partsOf);

  function startingAt(parts: readonly string[], index: number): Starter | undefined {
    const first = parts[index] ?? "";
    const short = first.includes("~") ? longOf(first) : undefined;
    const possible = [...(byFirst.get(first) ?? []), ...(short === undefined ? [] : (byShort.get(short) ?? []))];
    const isInstalled = parts.lastIndexOf("node_modules", index - 1) > 0;
    const isHere = ({ parts: wanted, isFolder, guard }: Entry): boolean =>
      matches(parts, index, wanted) &&
      (isFolder || parts.length === index + wanted.length) &&
      // Nobody opens the folder of an installed package, but programs and settings in it count as
      // elsewhere.
      !(isInstalled && (guard === "asked" || guard === "scripts"));
    const found = possible.filter(isHere);
    const entry = found.find(({ guard }) => guard === "held") ?? found[0];
    if (!entry || free.some((inner) => matches(parts, index, inner) && parts.length > index + inner.length))
      return undefined;
    const { name, why, guard } = entry;
    return { name, why, guard, rest: parts.slice(index + entry.parts.length) };
  }

  return (path) => {
    const parts = plainSpelling(path).split("/");
    let asked: Starter | undefined;
    for (let index = 1; index < parts.length; index++) {
      const found = startingAt(parts, index);
      if (found?.guard === "held") return found;
      asked ??= found;
    }
    const last = parts.at(-1) ?? "";
    const end = asked ? undefined : ends.find((one) => last.endsWith(one.end) && last !== one.end);
    return end ? { name: last, why: end.why, guard: end.guard, rest: [] } : asked;
  };
}

const partsOf = (name: string): readonly string[] => name.toLowerCase().split("/");

const matches = (parts: readonly string[], index: number, wanted: readonly string[]): boolean =>
  wanted.every((part, offset) => {
    const own = parts[index + offset] ?? "";
    return own === part || part === "*" || (own.includes("~") && longOf(own) === shortSpelling(part));
  });
