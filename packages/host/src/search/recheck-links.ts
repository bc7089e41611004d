import { lstatSync } from "node:fs";
import { type FindResult, HaftError, parent, type SearchQuery, type SearchResult } from "@haft/core/tool";
import { openListed } from "../files/open.ts";
import { partly } from "./readable.ts";
import type { Chosen } from "./search-builtin.ts";

/** File system times come from a coarse clock. */
const SLACK_MS = 50;

/**
 * Ripgrep opens folders by name, so it follows a folder or link that replaces another one. This tells afterwards which files
 * that may concern: those below a folder that has changed since this call.
 */
export function replacedSince(root: string): (path: string) => boolean {
  const start = Date.now() - SLACK_MS;
  const known = new Map<string, boolean>();
  const isChanged = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const found = lstatSync(folder, { throwIfNoEntry: false });
    const changed =
      !found?.isDirectory() ||
      found.ctimeMs >= start ||
      (folder !== root && folder !== "/" && isChanged(parent(folder)));
    known.set(folder, changed);
    return changed;
  };
  return (path) => isChanged(parent(path));
}

/** Repeats the search in changed folders file by file. Opens each file exactly as named. */
export async function lookedAtAgain(
  query: SearchQuery,
  found: SearchResult,
  isReplaced: (path: string) => boolean,
): Promise<SearchResult> {
  const { root } = query;
  const all = [...found.matches, ...found.files].map(({ path }) => path);
  const doubtful = new Set(all.filter(isReplaced));
  if (doubtful.size === 0) return found;
  const names = [...doubtful].map((path) => path.slice(root === "/" ? 1 : root.length + 1));
  const again = await foundIn({ ...query, limit: Number.MAX_SAFE_INTEGER, offset: 0 }, { folder: root, names });
  const lines = new Map(again.matches.map((match) => [`${match.path}:${match.line}`, match]));
  const counts = new Map(again.files.map((file) => [file.path, file]));
  const matches = found.matches.flatMap((match) =>
    doubtful.has(match.path) ? (lines.get(`${match.path}:${match.line}`) ?? []) : [match],
  );
  const files = found.files.flatMap((file) => (doubtful.has(file.path) ? (counts.get(file.path) ?? []) : [file]));
  const hits = (list: SearchResult["matches"]): number => list.filter((match) => !match.context).length;
  const gone = hits(found.matches) - hits(matches) + found.files.length - files.length;
  return { ...found, matches, files, total: found.total - gone, ...partly(gone === 0 && !found.unread) };
}

async function foundIn(query: SearchQuery, chosen: Chosen): Promise<Pick<SearchResult, "matches" | "files">> {
  try {
    const { searchWithBuiltin } = await import("./search-builtin.ts");
    return await searchWithBuiltin(query, chosen);
  } catch (thrown) {
    query.signal?.throwIfAborted();
    // This engine does not support the expression.
    if (HaftError.is(thrown)) return { matches: [], files: [] };
    throw thrown;
  }
}

/** Keeps names found in changed folders only if they still are what they say. */
export async function stillThere(found: FindResult, isReplaced: (path: string) => boolean): Promise<FindResult> {
  const doubtful = found.paths.filter(isReplaced);
  if (doubtful.length === 0) return found;
  const gone = new Set<string>();
  for (const path of doubtful) if (!(await isFile(path))) gone.add(path);
  const paths = found.paths.filter((path) => !gone.has(path));
  return { ...found, paths, total: found.total - gone.size, ...partly(gone.size === 0 && !found.unread) };
}

/** Opens the file: resolving a name takes several steps, between which a link may come and go. */
async function isFile(path: string): Promise<boolean> {
  try {
    using _ = await openListed(path);
    return true;
  } catch {
    return false;
  }
}
