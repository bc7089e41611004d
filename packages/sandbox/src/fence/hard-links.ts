import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import type { Guards } from "./guards.ts";
import type { RealPlace } from "./real.ts";
import { join, type Tree } from "./tree.ts";

/** Files checked before yielding to the event loop. */
const STRIDE = 2000;

/**
 * Files of these trees that are hard links to hidden files. The decision that allowed their names did not know that. The search
 * runs only if some hidden file has a second name.
 */
export async function twinsOf(
  hidden: readonly RealPlace[],
  trees: readonly Tree[],
  guards: Guards,
): Promise<readonly RealPlace[]> {
  const shared = new Map(
    hidden.flatMap(filesOf).flatMap((path) => {
      const mark = guards.isOpened(path) ? undefined : sharedMark(path);
      return mark === undefined ? [] : [[mark, path] as const];
    }),
  );
  if (shared.size === 0) return [];
  const known = new Set(hidden.map(({ path }) => path));
  const twins: RealPlace[] = [];
  let looks = 0;
  for (const tree of trees)
    for (const [folder, entries] of tree.folders)
      for (const { name, kind } of entries) {
        if (kind !== "file") continue;
        if (++looks % STRIDE === 0) await breathe();
        const path = join(folder, name);
        const of = shared.get(sharedMark(path) ?? "");
        if (of !== undefined && !known.has(path)) twins.push({ path, isFolder: false, of });
      }
  return twins;
}

/** A hidden file, or the files directly in a hidden folder. */
function filesOf({ path, isFolder }: RealPlace): readonly string[] {
  if (!isFolder) return [path];
  try {
    const entries: readonly Dirent[] = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(path, entry.name));
  } catch {
    return [];
  }
}

/** The identity of a file (device and inode), if it has more than one name. */
function sharedMark(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() && found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined;
}
