import type { Change } from "../store/record.ts";

/** Source of the wanted content. */
export interface Supply {
  /** Part of the names of temporary files, so that leftovers of a killed process can be found. */
  readonly tag: string;
  /** A folder in which new entries are made, if their place is in the same mount. */
  readonly staging?: string;
  /** Writes the content of `change.after`, a file, to the new name `path`; with `over`, into the existing file. */
  fill(change: Change, path: string, over: boolean): void;
  /** A path from which the finished `change.after` can be moved, with its mode and owner. `undefined`: it must be created. */
  source?(change: Change): string | undefined;
  /**
   * Exchanges finished files with existing ones, each in one step. Returns the replaced paths, each with the place of
   * its old file. A second call for the same change reverses it.
   */
  exchange?(changes: readonly Change[]): ReadonlyMap<string, string>;
  /** Keeps a displaced file. Returns `false` if its name `at` is still there. */
  retire?(change: Change, at: string): boolean;
  /** Keeps a file that is about to be replaced, whose name `at` stays until then. */
  preserve?(change: Change, at: string): void;
  /** Called from time to time with the number of steps done so far. */
  onProgress?(steps: number): void;
  /** Last check before a path is changed: returns why it must not be. `at`: the path's own place, or that of its old file. */
  refuses?(change: Change, at: string): string | undefined;
}
