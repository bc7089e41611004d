import { linkSync, renameSync, unlinkSync } from "node:fs";
import type { Ledger } from "../ledger.ts";
import { withExact } from "./exact.ts";
import { statOf } from "./image.ts";
import { toSystem } from "./raw-path.ts";

/** The other names of a file. */
export interface Links {
  readonly inode: bigint | undefined;
  /** Number of other names. */
  readonly count: number;
  /** Those in the workspace. */
  readonly inside: readonly string[];
}

/** The other names of the file at a path. Scans the workspace, but only for a file that has several. */
export async function linksOf({ root, isOwn }: Ledger, path: string): Promise<Links> {
  const found = statOf(path);
  if (!found?.isFile()) return { inode: undefined, count: 0, inside: [] };
  const count = Number(found.nlink) - 1;
  if (count === 0) return { inode: found.ino, count, inside: [] };
  const { scan } = await import("./scan.ts");
  const isOther = ([name, { inode }]: [string, { readonly inode: bigint }]) => inode === found.ino && name !== path;
  const entries = [...scan(root, { isSkipped: isOwn }).entries];
  return { inode: found.ino, count, inside: entries.filter(isOther).map(([name]) => name) };
}

/** Makes other names of an old file names of its replacement. Returns how many. */
export function linkAgain(path: string, { inode, inside }: Links): number {
  const isReplaced = inside.length > 0 && statOf(path)?.isFile() === true && statOf(path)?.ino !== inode;
  return isReplaced ? inside.filter((name) => linkTo(path, name, inode)).length : 0;
}

function linkTo(path: string, name: string, inode: bigint | undefined): boolean {
  try {
    return withExact(name, (place) => {
      if (statOf(place)?.ino !== inode) return false;
      const temporary = toSystem(`${place.slice(0, place.lastIndexOf("/"))}/.haft-${process.pid}-link.tmp`);
      withExact(path, (from) => linkSync(toSystem(from), temporary));
      try {
        renameSync(temporary, toSystem(place));
      } catch (thrown) {
        unlinkSync(temporary);
        throw thrown;
      }
      return true;
    });
  } catch {
    // It keeps the old content, and the count tells.
    return false;
  }
}
