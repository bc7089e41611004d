import { lstatSync, readFileSync } from "node:fs";
import type { Fence } from "./fence/index.ts";

/**
 * A fingerprint that stays the same while a sandbox started with these arguments equals one started now. The
 * arguments alone do not tell: if another file replaces a held or masked one, the kernel removes the mount over it. And
 * later mounts of the machine appear in running sandboxes too.
 */
export function likenessOf(argv: readonly string[], fence: Fence, others: readonly string[]): string {
  const { fresh, emptied, readOnly, writable, anchored, sealed, hidden, tmp } = fence;
  const named = [
    ...others,
    ...fresh,
    ...emptied,
    ...readOnly,
    ...writable,
    ...anchored,
    ...sealed,
    ...(tmp ? [tmp] : []),
  ];
  const places = [...named, ...hidden.map(({ path }) => path)];
  return JSON.stringify([argv, placesAsNow(places)]);
}

/** A fingerprint of these places and of the machine's mounts: the same while each path leads to the same file or folder. */
export const placesAsNow = (paths: readonly string[]): string => JSON.stringify([paths.map(markOf), mountsNow()]);

/**
 * The file that a path leads to, and when it last got or lost a name: a file that was moved away and back has no mask either.
 * A restored folder is a new one, even with the old inode number. Files of /proc differ at every look, and cannot be replaced.
 */
function markOf(path: string): string {
  const found = path.startsWith("/proc/") ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (!found) return path;
  return `${found.dev}:${found.ino}:${found.isDirectory() ? found.birthtimeMs : found.ctimeMs}`;
}

/** The machine's mounts in the view of this process. */
const mountsNow = (): string => readFileSync("/proc/self/mountinfo", "utf8");
