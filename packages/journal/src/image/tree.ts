import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, readdirSync } from "node:fs";
import { hasOpenPaths } from "@haft/host/files";
import { openExact } from "./exact.ts";
import { fromBytes, toSystem } from "./raw-path.ts";

export interface TreePrint {
  /** A hash over every name, inode, size, mode and change time below. Change times cannot be set, so no change inside can hide. */
  readonly print: string;
  readonly entries: number;
  /** Bytes of all regular files. */
  readonly bytes: number;
  /** The latest change below, in nanoseconds. */
  readonly changedNs: bigint;
}

/**
 * A fingerprint of everything below a folder, from stats alone: about 300 ms for 40,000 entries. It stays the same
 * when the folder is moved as a whole.
 */
export function printOf(folder: string): TreePrint {
  const hash = createHash("sha256");
  const total = { entries: 0, bytes: 0, changedNs: 0n };
  const walk = (path: string, below: string): void => {
    for (const name of namesIn(path)) {
      const found = lstatSync(toSystem(`${path}/${name}`), { bigint: true });
      hash.update(`${below}/${name}\0${found.ino} ${found.size} ${found.mode} ${found.ctimeNs}\n`, "utf8");
      total.entries += 1;
      if (found.isFile()) total.bytes += Number(found.size);
      if (found.ctimeNs > total.changedNs) total.changedNs = found.ctimeNs;
      if (found.isDirectory()) walk(`${path}/${name}`, `${below}/${name}`);
    }
  };
  walk(folder, "");
  return { print: hash.digest("hex"), ...total };
}

/** The names in a folder, in a fixed order. */
export function namesIn(folder: string): string[] {
  const descriptor = openExact(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const place = hasOpenPaths() ? `/proc/self/fd/${descriptor}` : toSystem(folder);
    return readdirSync(place, { encoding: "buffer" }).map(fromBytes).sort();
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes of all files at and below a path, by their stats. */
export function bytesBelow(path: string): number {
  const found = lstatSync(toSystem(path), { throwIfNoEntry: false });
  if (!found) return 0;
  // Holes take no space.
  if (!found.isDirectory()) return Math.min(found.size, found.blocks * 512);
  return namesIn(path).reduce((sum, name) => sum + bytesBelow(`${path}/${name}`), 0);
}
