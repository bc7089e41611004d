import { readdirSync } from "node:fs";
import { statOf } from "./image.ts";
import { fromBytes, toSystem } from "./raw-path.ts";
import { type Trace, traceOf } from "./trace.ts";

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
  const queue = [{ folder: root, inode: statOf(root)?.ino }];
  for (const { folder, inode } of queue) {
    for (const name of readNames(folder, inode)) {
      if (entries.size >= limit) return { entries, complete: false };
      const path = `${folder}/${name}`;
      const trace = traceOf(path);
      if (!trace || (trace.kind === "folder" && isSkipped(path))) continue;
      entries.set(path, trace);
      if (trace.kind === "folder") queue.push({ folder: path, inode: trace.inode });
    }
  }
  return { entries, complete: true };
}

/** None if another folder has taken its place meanwhile. */
function readNames(folder: string, inode: bigint | undefined): readonly string[] {
  try {
    const names = readdirSync(toSystem(folder), { encoding: "buffer" }).map(fromBytes).sort();
    return statOf(folder)?.ino === inode ? names : [];
  } catch {
    return [];
  }
}
