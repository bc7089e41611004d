import type { Image } from "../image/image.ts";
import type { Scan } from "../image/scan.ts";
import type { Change } from "../store/record.ts";

/**
 * Notes which names were the same file before and after a command, so that undo and redo make them one file again. A
 * name that is still the same file needs no note: it is written in place.
 */
export function withLinksOf(changes: readonly Change[], before: Scan, after: Scan): readonly Change[] {
  const [then, now] = [namesIn(before), namesIn(after)];
  if (then.size + now.size === 0) return changes;
  const changed = new Set(changes.map(({ path }) => path));
  const isStill = (path: string): boolean => before.entries.get(path)?.inode === after.entries.get(path)?.inode;
  /** The name to which another one is linked: one that stays, or the first. */
  const firstOf = (names: ReadonlyMap<bigint, readonly string[]>, scan: Scan, path: string): string | undefined => {
    const group = names.get(scan.entries.get(path)?.inode ?? -1n) ?? [];
    const first = group.find((name) => !changed.has(name)) ?? group.find(isStill) ?? group[0];
    return first === path ? undefined : first;
  };
  return changes.map((change) => {
    const { path } = change;
    if (isStill(path)) return change;
    const sides = {
      before: linked(change.before, firstOf(then, before, path)),
      after: linked(change.after, firstOf(now, after, path)),
    };
    return { ...change, ...sides };
  });
}

const linked = (image: Image, linkOf: string | undefined): Image =>
  image.type === "file" && linkOf !== undefined ? { ...image, linkOf } : image;

/** The names of files that have several of them, by inode. */
function namesIn({ entries }: Scan): ReadonlyMap<bigint, readonly string[]> {
  const names = new Map<bigint, string[]>();
  for (const [path, { kind, inode, names: count }] of entries) {
    if (kind !== "file" || count < 2) continue;
    const known = names.get(inode);
    if (known) known.push(path);
    else names.set(inode, [path]);
  }
  return new Map([...names].filter(([, all]) => all.length > 1).map(([inode, all]) => [inode, all.sort()]));
}
