import { type Bound, isWithin, parent, type WriteEffect } from "@haft/core/tool";
import { locate } from "@haft/host";
import { MEMORY } from "../system-folders.ts";

/** Places that a program gets empty or from the kernel: nothing of the machine below them is writable. */
const NEVER: readonly string[] = ["/proc", "/sys", "/dev", "/run"];

/** Whether no grant can make a path writable. */
export const isNeverWritable = (path: string): boolean =>
  NEVER.some((folder) => isWithin(folder, path)) && !isWithin(MEMORY, path);

/** Folders in which a grant for one missing file would open far more than that file. */
const BROAD = /^\/(?:[^/]+)?$|^\/(?:usr|var|etc|home|opt)\/[^/]+$|^\/dev\/shm$/;

/** Whether only the confinement limits what a program does: its effects are unknown. */
export const isOpaque = ({ effects }: Bound): boolean =>
  effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque === true));

/**
 * The folders and files to mount writable for a bound. A program whose effects are unknown gets all `roots` and the other
 * places that the bound names. One whose writes are all known gets only the places of those writes. A path that leads
 * elsewhere than at the decision is left out.
 */
export async function writablePlaces(bound: Bound, roots: readonly string[], home: string): Promise<readonly string[]> {
  const writes = bound.effects.filter((effect): effect is WriteEffect => effect.do === "write" && !effect.unread);
  const places = await Promise.all(writes.map((write) => placeOf(write, roots, home)));
  const named = places.filter((place): place is string => place !== undefined);
  return outermost(isOpaque(bound) ? [...roots, ...named] : named);
}

/** Granted writes that no sandbox can open: one new file in a folder that holds far more than that file. */
export const unopened = ({ effects }: Bound, writable: readonly string[]): readonly string[] =>
  effects.flatMap((effect) =>
    effect.do === "write" &&
    !effect.unread &&
    effect.change !== "delete" &&
    !writable.some((place) => isWithin(place, effect.path))
      ? [effect.path]
      : [],
  );

/** Leaves out paths inside another of the paths. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));

async function placeOf(write: WriteEffect, roots: readonly string[], home: string): Promise<string | undefined> {
  if (isNeverWritable(write.path)) return undefined;
  const { path, kind } = await locate(write.path);
  if (path !== write.path) return undefined;
  const root = roots.find((folder) => isWithin(folder, path));
  const isWhole = write.tree === true && write.change !== "delete" && kind === "directory";
  if (isWhole || path === root) return path;
  // Programs replace a file by renaming another over it, so the folder must be writable, not only the file.
  if (root !== undefined) return nearestFolder(parent(path));
  if (kind === "file" && write.change !== "delete") return path;
  const folder = await nearestFolder(parent(path));
  return BROAD.test(folder) || isWithin(folder, home) ? undefined : folder;
}

async function nearestFolder(path: string): Promise<string> {
  const { kind } = await locate(path);
  return kind === "directory" || path === "/" ? path : nearestFolder(parent(path));
}
