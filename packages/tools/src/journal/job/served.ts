import type { JobState } from "@haft/core/tool";
import { statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import { outputWords } from "./words.ts";

/** A job that finds the workspace read-only: all that it can change are its output folders. */
export interface Served {
  readonly folders: readonly string[];
  /** Nanoseconds since the epoch. */
  readonly since: bigint;
}

/** The clock of a file system lags behind by its tick. */
const TICK_MS = 10;
/** Entries that are looked at; a folder with more counts as changed. */
const MOST = 50_000;

export const beginServed = (startedAt: number): ((state: JobState) => Served) => {
  const since = BigInt(startedAt - TICK_MS) * 1_000_000n;
  return ({ writable = [] }) => ({ folders: writable, since });
};

/** What a served job has changed so far, for the model; "" for nothing. */
export const servedWords = (root: string, { folders, since }: Served): string =>
  outputWords(
    root,
    folders.filter((folder) => hasChanged(folder, since)),
  );

/** Whether anything below a folder was made, changed or, as far as other changes tell, removed. */
function hasChanged(folder: string, since: bigint): boolean {
  let left = MOST;
  const isNew = (path: string): boolean => {
    const found = statOf(path);
    left -= 1;
    return found !== undefined && (left < 0 || found.ctimeNs > since || (found.isDirectory() && below(path)));
  };
  const below = (path: string): boolean => names(path).some((name) => isNew(`${path}/${name}`));
  return below(folder);
}

function names(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}
