import { listByFind } from "./list-by-find.ts";
import { toSystem } from "./raw-path.ts";
import { type Trace, traceOf } from "./trace.ts";
import { namesIn } from "./tree.ts";

export interface Scan {
  readonly entries: ReadonlyMap<string, Trace>;
  /** `false` when there were more entries than the limit. */
  readonly complete: boolean;
}

/** Most entries that a scan reads: about 300 ms. */
const SCAN_ENTRIES = 50_000;

export interface ScanOptions {
  /** Most entries. Default `SCAN_ENTRIES`. */
  readonly limit?: number;
  /** Folders that are neither scanned nor counted. */
  readonly isSkipped?: (folder: string) => boolean;
  /** No large folder is skipped, so that a program may list everything. */
  readonly isWhole?: boolean;
}

/** Fewer entries are read in less time than a program takes to start. */
const MANY = 4_000;

/** Everything below a folder, by absolute path. Folders that cannot be read count as empty. */
export function scan(
  root: string,
  { limit = SCAN_ENTRIES, isSkipped = () => false, isWhole = false }: ScanOptions = {},
): Scan {
  const few = isWhole ? Math.min(MANY, limit) : limit;
  const found = walk(root, few, isSkipped, tracesIn);
  if (found.complete || few === limit) return found;
  const listed = listByFind(toSystem(root));
  return walk(
    root,
    limit,
    isSkipped,
    listed ? (folder) => sorted(listed.get(folder.slice(root.length + 1))) : tracesIn,
  );
}

type Traces = Iterable<readonly [name: string, trace: Trace]>;

function walk(
  root: string,
  limit: number,
  isSkipped: (folder: string) => boolean,
  read: (folder: string) => Traces,
): Scan {
  const entries = new Map<string, Trace>();
  const queue = [root];
  for (let next = 0; next < queue.length; next++) {
    const folder = queue[next] as string;
    for (const [name, trace] of read(folder)) {
      if (entries.size >= limit) return { entries, complete: false };
      const path = `${folder}/${name}`;
      if (trace.kind === "folder" && isSkipped(path)) continue;
      entries.set(path, trace);
      if (trace.kind === "folder") queue.push(path);
    }
  }
  return { entries, complete: true };
}

function* tracesIn(folder: string): Traces {
  for (const name of readNames(folder)) {
    const trace = traceOf(`${folder}/${name}`);
    if (trace) yield [name, trace];
  }
}

const sorted = (names: ReadonlyMap<string, Trace> = new Map()): Traces =>
  [...names].sort(([a], [b]) => (a < b ? -1 : 1));

function readNames(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}
