import { statOf } from "../../image/image.ts";
import { scan } from "../../image/scan.ts";
import type { Change } from "../../store/record.ts";

/** Names of upper-layer files with several hard links, by inode. */
export type Names = ReadonlyMap<bigint, readonly string[]>;

/** Makes all names of a file links to one of them, preferably to an unchanged one. */
export function withLinks(changes: readonly Change[], names: Names): readonly Change[] {
  if (names.size === 0) return changes;
  const isChanged = new Set(changes.map(({ path }) => path));
  const firstOf = new Map<string, string>();
  for (const paths of names.values()) {
    const sorted = [...paths].sort();
    const first = sorted.find((path) => !isChanged.has(path)) ?? sorted[0] ?? "";
    for (const path of sorted) if (path !== first) firstOf.set(path, first);
  }
  return changes.map((change): Change => {
    const linkOf = firstOf.get(change.path);
    const { after } = change;
    return linkOf === undefined || after.type !== "file" ? change : { ...change, after: { ...after, linkOf } };
  });
}

/**
 * Writing a file in place changes all of its names. Finds those in the workspace, so that each gets its own change.
 * This scans the workspace, but only if files with several names are written to.
 */
export function withOtherNames(changes: readonly Change[], root: string): readonly Change[] {
  const shared = new Map(changes.flatMap((one) => (one.shared ? [[statOf(one.path)?.ino, one] as const] : [])));
  if (shared.size === 0) return changes;
  const isChanged = new Set(changes.map(({ path }) => path));
  const others = [...scan(root).entries].flatMap(([path, { kind, inode }]): Change[] => {
    const first = kind === "file" && !isChanged.has(path) ? shared.get(inode) : undefined;
    if (first?.after.type !== "file") return [];
    return [{ path, before: first.before, after: { ...first.after, linkOf: first.path }, shared: true }];
  });
  return [...changes, ...others];
}
