import { setImmediate as breathe } from "node:timers/promises";
import { type BoundHole, isWithin } from "@haft/core/tool";
import type { Guards } from "./guards.ts";
import { outermostPlaces, type RealPlace, realPlaces } from "./real.ts";
import { join, type Tree } from "./tree.ts";

/** Entries checked before yielding to the event loop. */
const STRIDE = 2000;
/** Limit on links followed on the way to one name. */
const MOST_LINKS = 2;
/** A name that no rule contains: a pattern that matches it matches everything in the folder. */
const ANYTHING = "\u0001any";

/** Whether a grant closes anything for reading. */
export const closesReads = (holes: readonly BoundHole[]): boolean => holes.some((hole) => hole.do === "read");

/**
 * The real places in a tree that the holes of a grant close for reading: files, and folders that are closed entirely. A link's
 * target is also checked by the name of the link. A folder in which the grant names something is searched. Folders that were
 * not read may contain a closed file, so they are closed.
 */
export async function closedIn(tree: Tree, guards: Guards): Promise<readonly RealPlace[]> {
  const holes = guards.holes.filter((hole) => hole.do === "read");
  if (holes.length === 0) return [];
  const known = remembered.get(tree);
  const isKnown = known?.holes.length === holes.length && known.holes.every((hole, index) => hole === holes[index]);
  const found = isKnown ? known.found : await look(tree, holes, () => false);
  if (!isKnown) remembered.set(tree, { holes, found });
  const isGoneThrough = found.some((path) => guards.isOpened(path));
  const closed = isGoneThrough ? await look(tree, holes, guards.isOpened) : found;
  return outermostPlaces(realPlaces([...closed, ...tree.unseen]).map((place) => ({ ...place, isClosed: true })));
}

/** A tree stays the same object while nothing in it changes, and so do the holes of the same rules. */
const remembered = new WeakMap<Tree, { readonly holes: readonly BoundHole[]; readonly found: readonly string[] }>();

async function look(
  tree: Tree,
  holes: readonly BoundHole[],
  isOpened: (path: string) => boolean,
): Promise<readonly string[]> {
  const isClosed = (path: string): boolean => holes.some((hole) => hole.matches(path));
  const isAllClosed = (path: string): boolean =>
    isClosed(path) || (isClosed(join(path, ANYTHING)) && isClosed(`${path}/${ANYTHING}/x`));
  const found: string[] = [];
  let looks = 0;
  const visit = async (folder: string, as: string, links: number): Promise<void> => {
    for (const { name, kind } of tree.folders.get(folder) ?? []) {
      if (++looks % STRIDE === 0) await breathe();
      const path = join(folder, name);
      const named = join(as, name);
      const isFolder = kind === "folder";
      if (isFolder ? isAllClosed(named) && !isOpened(path) : isClosed(named)) found.push(path);
      else if (isFolder) await visit(path, named, links);
      else if (kind === "link" && links < MOST_LINKS)
        for (const target of realPlaces([path])) {
          if (!target.isFolder || isWithin(target.path, path)) continue;
          if (isAllClosed(named) && !isOpened(target.path)) found.push(target.path);
          else await visit(target.path, named, links + 1);
        }
    }
  };
  await visit(tree.root, tree.root, 0);
  return found;
}
