import type { Change } from "../store/record.ts";

/** Where the wanted content comes from. */
export interface Supply {
  /** Part of the names of temporary files, so that those of a killed process can be found. */
  readonly tag: string;
  /** Puts the content of `change.after`, a file, at `path`, a new name. With `over`, into the file that is there. */
  fill(change: Change, path: string, over: boolean): void;
  /** Where the finished `change.after` may be moved from, with its mode and owner; `undefined`: it is made. */
  source?(change: Change): string | undefined;
  /**
   * Puts finished files in the place of files that are there, each in one step. Where it was done, with where the old
   * file is now; the same once more takes it back.
   */
  exchange?(changes: readonly Change[]): ReadonlyMap<string, string>;
  /** Last look before a path is touched: says why it must not be. `at`: where it lies, or where its old file is now. */
  refuses?(change: Change, at: string): string | undefined;
}
