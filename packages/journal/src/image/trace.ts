import type { BigIntStats } from "node:fs";
import { modeOf, type Owner, ownerOf, statOf } from "./image.ts";

/** An entry's stat. Equal stats mean that the entry did not change, because change times cannot be set. */
export interface Trace {
  readonly kind: "file" | "folder" | "link" | "pipe" | "other";
  readonly mode: number;
  readonly owner?: Owner;
  readonly size: number;
  readonly inode: bigint;
  /** The number of its names, also outside of what was scanned. */
  readonly names: number;
  /** The time of the last write, in nanoseconds. */
  readonly written: bigint;
  /** Inode, size, mode and change time in one. */
  readonly mark: string;
}

/** One entry's stat. */
export function traceOf(path: string): Trace | undefined {
  const found = statOf(path);
  if (!found) return undefined;
  const { ino: inode, mtimeNs: written } = found;
  const [size, names] = [Number(found.size), Number(found.nlink)];
  const rights = { mode: modeOf(found), ...ownerOf(found) };
  return { kind: kindOf(found), ...rights, size, inode, names, written, mark: markFor(found) };
}

/** The mark of an entry. The size of a folder says nothing, but its change time tells of its owner and attributes. */
export const markFor = (found: BigIntStats): string =>
  `${found.ino} ${found.isDirectory() ? "" : found.size} ${modeOf(found)} ${found.ctimeNs}`;

function kindOf(found: BigIntStats): Trace["kind"] {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "folder";
  if (found.isSymbolicLink()) return "link";
  return found.isFIFO() ? "pipe" : "other";
}
