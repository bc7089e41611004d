import { realpathSync, statSync } from "node:fs";
import { isWithin } from "@haft/core/tool";
import { locate } from "../../host/index.ts";

/** A place that exists, by its real path. */
export interface RealPlace {
  readonly path: string;
  readonly isFolder: boolean;
  /** The hidden file whose second name it is. */
  readonly of?: string;
  /** A rule closes it to who does not name it. */
  readonly isClosed?: true;
}

/** Where names really lead. Those that lead to nothing, or that are relative, are left out. */
export const realPlaces = (names: readonly string[]): readonly RealPlace[] =>
  names.flatMap((name) => realPlace(name) ?? []);

/** The same, as paths. */
export const realPaths = (names: readonly string[]): readonly string[] => realPlaces(names).map(({ path }) => path);

/** Those paths that lead where they say. What was decided on was a real path: one that leads elsewhere by now is something else. */
export const exactPaths = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => realPlace(path)?.path === path);

/** Each place once, without those that lie in another one. */
export function outermostPlaces(places: readonly RealPlace[]): readonly RealPlace[] {
  const each = [...new Map(places.map((place) => [place.path, place])).values()];
  const folders = each.filter(({ isFolder }) => isFolder);
  return each.filter(({ path }) => !folders.some((outer) => outer.path !== path && isWithin(outer.path, path)));
}

/** Most names lead to nothing, and asking at once for a hundred of them is ten times faster than waiting for each. */
function realPlace(name: string): RealPlace | undefined {
  try {
    const found = name.startsWith("/") ? statSync(name, { throwIfNoEntry: false }) : undefined;
    return found && { path: realpathSync.native(name), isFolder: found.isDirectory() };
  } catch {
    return undefined;
  }
}

/**
 * Whether a target really lies in a boundary: both by their real locations, compared by whole segments. A target that
 * does not exist counts where its nearest existing folder leads. Relative paths are refused with `invalid_input`.
 */
export async function isPathContained(boundary: string, target: string): Promise<boolean> {
  const [folder, place] = await Promise.all([locate(boundary), locate(target)]);
  return isWithin(folder.path, place.path);
}
