import type { LocatedPattern } from "../pattern/path-pattern.ts";

/** Path rules, indexed so that a path meets only rules that could concern it. */
export interface PathIndex<T> {
  readonly isEmpty: boolean;
  /** The entries that concern a folder with everything below it. */
  around(folder: string): Around<T>;
  /** The entries that may match an absolute, folded path. Check the pattern of each: some will not match. */
  near(path: string): T[];
}

export interface Around<T> {
  /** Those that match the folder or everything below it. */
  readonly whole: readonly T[];
  /** Those that may match something below the folder. */
  readonly parts: readonly T[];
}

/** A session asks repeatedly about few trees. */
const REMEMBERED_FOLDERS = 64;

/**
 * Finds entries by their literal part: by the folder that all their matches begin with. Entries that float (`**` +
 * `/name`) are found by that name or its extension. An entry without a literal part is a candidate for everything below
 * its folder.
 */
export function indexPaths<T extends { readonly pattern: LocatedPattern }>(entries: readonly T[]): PathIndex<T> {
  const byFolder = new Map<string, T[]>();
  const byName = new Map<string, T[]>();
  const byExtension = new Map<string, T[]>();
  for (const entry of entries) {
    const { base, rest } = entry.pattern;
    const named = rest[0] === "**" && rest[1] !== undefined && rest[1] !== "**" ? rest[1] : undefined;
    if (named?.literal !== undefined) push(byName, named.literal, entry);
    else if (named?.extension !== undefined) push(byExtension, named.extension, entry);
    else push(byFolder, base, entry);
  }
  const remembered = new Map<string, Around<T>>();
  return {
    isEmpty: entries.length === 0,
    around(folder) {
      const known = remembered.get(folder);
      if (known) return known;
      const reach = (entry: T) => entry.pattern.reach(folder);
      const found = {
        whole: entries.filter((entry) => ["hit", "below"].includes(reach(entry))),
        parts: entries.filter((entry) => reach(entry) === "partial"),
      };
      if (remembered.size >= REMEMBERED_FOLDERS) remembered.clear();
      remembered.set(folder, found);
      return found;
    },
    near(path) {
      if (entries.length === 0) return [];
      const found = [...(byFolder.get("/") ?? [])];
      for (let start = 1; start < path.length; ) {
        const slash = path.indexOf("/", start);
        const end = slash < 0 ? path.length : slash;
        const name = path.slice(start, end);
        append(found, byFolder.get(path.slice(0, end)));
        append(found, byName.get(name));
        if (byExtension.size > 0) append(found, byExtension.get(extensionOf(name)));
        start = end + 1;
      }
      return found;
    },
  };
}

function push<T>(map: Map<string, T[]>, key: string, entry: T): void {
  const list = map.get(key);
  if (list) list.push(entry);
  else map.set(key, [entry]);
}

function append<T>(list: T[], more: readonly T[] | undefined): void {
  if (more) for (const entry of more) list.push(entry);
}

const extensionOf = (name: string): string => name.slice(Math.max(0, name.lastIndexOf(".")));
