import type { JobState } from "@haft/core/tool";
import { statOf } from "../image/image.ts";
import { namesIn } from "../image/tree.ts";
import { outputWords } from "./words.ts";

/** A job in a read-only workspace: it can change only its output folders. */
export interface Served {
  readonly folders: readonly string[];
  /** Nanoseconds since the epoch. */
  readonly since: bigint;
}

/** A file system's clock lags by up to one tick. */
const TICK_MS = 10;
/** Most entries that are read; a folder with more counts as changed. */
const MOST = 50_000;

export const beginServed = (startedAt: number): ((state: JobState) => Served) => {
  const since = BigInt(startedAt - TICK_MS) * 1_000_000n;
  return ({ writable = [] }) => ({ folders: writable, since });
};

/** A served job's changes so far, for the model; "" for none. */
export const servedWords = (root: string, { folders, since }: Served): string =>
  outputWords(
    root,
    folders.filter((folder) => hasChanged(folder, since)),
  );

/** Whether anything below a folder was created or changed. Removals show only by the times of their folders. */
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
