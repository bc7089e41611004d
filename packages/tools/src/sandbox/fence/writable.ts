import { type Bound, isWithin, parent, type WriteEffect } from "@haft/core/tool";
import { locate } from "../../host/index.ts";

/** Places that a program gets fresh and empty, or from the kernel: nothing of the machine below them is writable. */
const NEVER: readonly string[] = ["/proc", "/sys", "/dev", "/run"];
/** Memory that many work in, as it is fast. A sandbox has its own, in which what was granted by name is that of the machine. */
export const MEMORY = "/dev/shm";

/** Whether no grant can make a path writable. */
export const isNeverWritable = (path: string): boolean =>
  NEVER.some((folder) => isWithin(folder, path)) && !isWithin(MEMORY, path);

/** Folders in which a grant for one missing file would open far more than that file. */
const BROAD = /^\/(?:[^/]+)?$|^\/(?:usr|var|etc|home|opt)\/[^/]+$|^\/dev\/shm$/;

/** Whether what a program will do is known only from what confines it. */
export const isOpaque = ({ effects }: Bound): boolean =>
  effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque === true));

/** Whether a bound holds nothing but reading, as far as ports, a grammar or the tool's own word know. */
export const onlyReads = ({ effects }: Bound): boolean =>
  effects.length > 0 &&
  effects.every(
    (effect) =>
      effect.do === "read" || (effect.do === "state" && !effect.change) || (effect.do === "run" && !effect.opaque),
  );

/**
 * What a bound lets a program write, as folders and files to be mounted. A program that nobody can read gets all `roots`
 * and what else the bound names; one whose writes are all known gets the places of those writes only. A path that leads
 * elsewhere than when it was decided on is left out.
 */
export async function writablePlaces(bound: Bound, roots: readonly string[], home: string): Promise<readonly string[]> {
  const writes = bound.effects.filter((effect): effect is WriteEffect => effect.do === "write" && !effect.unread);
  const places = await Promise.all(writes.map((write) => placeOf(write, roots, home)));
  const named = places.filter((place): place is string => place !== undefined);
  return outermost(isOpaque(bound) ? [...roots, ...named] : named);
}

/** What a bound grants to write and no sandbox can open: one new file in a folder that is far more than that file. */
export const unopened = ({ effects }: Bound, writable: readonly string[]): readonly string[] =>
  effects.flatMap((effect) =>
    effect.do === "write" &&
    !effect.unread &&
    effect.change !== "delete" &&
    !writable.some((place) => isWithin(place, effect.path))
      ? [effect.path]
      : [],
  );

/** Leaves out what lies in another of the paths. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));

async function placeOf(write: WriteEffect, roots: readonly string[], home: string): Promise<string | undefined> {
  if (isNeverWritable(write.path)) return undefined;
  const { path, kind } = await locate(write.path);
  if (path !== write.path) return undefined;
  const root = roots.find((folder) => isWithin(folder, path));
  const isWhole = write.tree === true && write.change !== "delete" && kind === "directory";
  if (isWhole || path === root) return path;
  // Programs replace a file by renaming another over it, so the folder has to be open, not the file alone.
  if (root !== undefined) return nearestFolder(parent(path));
  if (kind === "file" && write.change !== "delete") return path;
  const folder = await nearestFolder(parent(path));
  return BROAD.test(folder) || isWithin(folder, home) ? undefined : folder;
}

async function nearestFolder(path: string): Promise<string> {
  const { kind } = await locate(path);
  return kind === "directory" || path === "/" ? path : nearestFolder(parent(path));
}
