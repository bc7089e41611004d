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
}

/** Everything below a folder, by absolute path. Folders that cannot be read count as empty. */
export function scan(root: string, { limit = SCAN_ENTRIES, isSkipped = () => false }: ScanOptions = {}): Scan {
  const entries = new Map<string, Trace>();
  const queue = [root];
  for (let next = 0; next < queue.length; next++) {
    const folder = queue[next] as string;
    for (const name of readNames(folder)) {
      if (entries.size >= limit) return { entries, complete: false };
      const path = `${folder}/${name}`;
      const trace = traceOf(path);
      if (!trace || (trace.kind === "folder" && isSkipped(path))) continue;
      entries.set(path, trace);
      if (trace.kind === "folder") queue.push(path);
    }
  }
  return { entries, complete: true };
}

function readNames(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}
