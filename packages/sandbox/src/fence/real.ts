import { realpathSync, statSync } from "node:fs";
import { isWithin } from "@haft/core/tool";
import { locate } from "@haft/host";

/** A place that exists, by its real path. */
export interface RealPlace {
  readonly path: string;
  readonly isFolder: boolean;
  /** The hidden file that this path is a hard link to. */
  readonly of?: string;
  /** A rule closes it to calls that do not name it. */
  readonly isClosed?: true;
}

/** Resolves names to real places. Leaves out dangling and relative names. */
export const realPlaces = (names: readonly string[]): readonly RealPlace[] =>
  names.flatMap((name) => realPlace(name) ?? []);

/** The same, as paths. */
export const realPaths = (names: readonly string[]): readonly string[] => realPlaces(names).map(({ path }) => path);

/** Keeps the paths that are still real. Decisions were made about real paths: one that now leads elsewhere is another place. */
export const exactPaths = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => realPlace(path)?.path === path);

/** Each place once, without those inside another one. */
export function outermostPlaces(places: readonly RealPlace[]): readonly RealPlace[] {
  const each = [...new Map(places.map((place) => [place.path, place])).values()];
  const folders = each.filter(({ isFolder }) => isFolder);
  return each.filter(({ path }) => !folders.some((outer) => outer.path !== path && isWithin(outer.path, path)));
}

/** Synchronous: most names do not exist, and checking a hundred at once is ten times faster than awaiting each. */
function realPlace(name: string): RealPlace | undefined {
  try {
    const found = name.startsWith("/") ? statSync(name, { throwIfNoEntry: false }) : undefined;
    return found && { path: realpathSync.native(name), isFolder: found.isDirectory() };
  } catch {
    return undefined;
  }
}

/**
 * Whether a target is really inside a boundary. Compares the real locations of both by whole segments. A target that
 * does not exist is resolved by its nearest existing folder. Refuses relative paths with `invalid_input`.
 */
export async function isPathContained(boundary: string, target: string): Promise<boolean> {
  const [folder, place] = await Promise.all([locate(boundary), locate(target)]);
  return isWithin(folder.path, place.path);
}
