import { lstatSync, readFileSync } from "node:fs";
import type { Fence } from "./fence/index.ts";

/**
 * Words that are the same as long as a sandbox which was put up with these arguments still is what it would be now. The
 * arguments alone do not tell: where a file that is held or masked is replaced by another of its name, the kernel takes
 * what lay over it away; and what the machine mounts later appears in sandboxes too.
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
  return JSON.stringify([argv, places.map(markOf), mountsNow()]);
}

/**
 * Which file a path leads to, and when it last got or lost a name: what was taken away and came back has no mask either.
 * A folder comes back as a new one, if with the old number. Files of /proc are others at every look, and cannot be replaced.
 */
function markOf(path: string): string {
  const found = path.startsWith("/proc/") ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (!found) return path;
  return `${found.dev}:${found.ino}:${found.isDirectory() ? found.birthtimeMs : found.ctimeMs}`;
}

/** The mounts of the machine as this process sees them. */
const mountsNow = (): string => readFileSync("/proc/self/mountinfo", "utf8");
