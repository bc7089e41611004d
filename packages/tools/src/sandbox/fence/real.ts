import { realpathSync, statSync } from "node:fs";

/** A place that exists, by its real path. */
export interface RealPlace {
  readonly path: string;
  readonly isFolder: boolean;
  /** The hidden file whose second name it is. */
  readonly of?: string;
}

/** Where names really lead. Those that lead to nothing, or that are relative, are left out. */
export const realPlaces = (names: readonly string[]): readonly RealPlace[] =>
  names.flatMap((name) => realPlace(name) ?? []);

/** The same, as paths. */
export const realPaths = (names: readonly string[]): readonly string[] => realPlaces(names).map(({ path }) => path);

/** Most names lead to nothing, and asking at once for a hundred of them is ten times faster than waiting for each. */
function realPlace(name: string): RealPlace | undefined {
  try {
    const found = name.startsWith("/") ? statSync(name, { throwIfNoEntry: false }) : undefined;
    return found && { path: realpathSync.native(name), isFolder: found.isDirectory() };
  } catch {
    return undefined;
  }
}
