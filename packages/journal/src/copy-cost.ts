import { constants, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_ENTRIES } from "./base/base.ts";
import { readIndex } from "./base/base-index.ts";
import { scan } from "./image/scan.ts";
import { bytesBelow } from "./image/tree.ts";
import type { Ledger } from "./ledger.ts";

/** The price of the copy of a workspace. */
export interface CopyCost {
  readonly entries: number;
  readonly bytes: number;
  /** The copy is there; else the next command makes it. */
  readonly isMade: boolean;
  /** The workspace has too many entries for a copy. */
  readonly isTooBig: boolean;
  /** The file system lets the copy share its blocks with the workspace, so it takes almost no room. */
  readonly sharesBlocks: boolean;
}

/** The cost of the copy of a workspace; `undefined` if it has no place. Changes nothing. */
export function copyCost({ annex, copyPlace: folder, root, isOwn }: Ledger): CopyCost | undefined {
  if (folder === undefined) return undefined;
  const isMade = existsSync(join(folder, "index"));
  const { entries, complete } = isMade
    ? { entries: readIndex(folder, root), complete: true }
    : scan(root, { limit: BASE_ENTRIES, isSkipped: isOwn });
  const bytes = isMade ? bytesBelow(folder) : sum([...entries.values()].map((one) => ("size" in one ? one.size : 0)));
  return {
    entries: entries.size,
    bytes,
    isMade,
    isTooBig: !complete,
    sharesBlocks: annex !== undefined && sharesBlocks(folder),
  };
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Tries to clone a file where the copy is kept. */
function sharesBlocks(place: string): boolean {
  const folder = `${place}-try-${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "a"), Buffer.alloc(65_536, 1));
    copyFileSync(join(folder, "a"), join(folder, "b"), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
