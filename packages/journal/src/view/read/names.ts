import { isDetail, same, statOf } from "../../image/image.ts";
import { scan } from "../../image/scan.ts";
import type { Change } from "../../store/record.ts";

/** Names of upper-layer files with several hard links, by inode. */
export type Names = ReadonlyMap<bigint, readonly string[]>;

/** Makes all names of a file links to one of them: an unchanged one, or one that stays the same file, if there is one. */
export function withLinks(changes: readonly Change[], names: Names): readonly Change[] {
  if (names.size === 0) return changes;
  const changeOf = new Map(changes.map((change) => [change.path, change]));
  const staysSame = (path: string): boolean => isDetail(changeOf.get(path)!);
  const firstOf = new Map<string, string>();
  for (const paths of names.values()) {
    const sorted = [...paths].sort();
    const still = sorted.filter((path) => changeOf.has(path) && staysSame(path));
    const unchanged = sorted.find((path) => !changeOf.has(path));
    const first = unchanged ?? still.find((path) => (statOf(path)?.nlink ?? 0n) > 1n) ?? still[0] ?? sorted[0] ?? "";
    for (const path of sorted) if (path !== first) firstOf.set(path, first);
  }
  return changes.map((change): Change => {
    const linkOf = firstOf.get(change.path);
    const { after, path } = change;
    if (linkOf === undefined || after.type !== "file") return change;
    // Names that are one file already stay so when it only gets another mode, owner or attributes.
    if (isDetail(change) && statOf(path)?.ino === statOf(linkOf)?.ino) return change;
    return { ...change, after: { ...after, linkOf } };
  });
}

/**
 * Writing a file in place changes all of its names. Finds those in the workspace, so that each gets its own change.
 * This scans the workspace, but only if files with several names are written to. In an overlay, names that are written
 * to one by one become files of their own; if these differ, they stay so.
 */
export function withOtherNames(changes: readonly Change[], root: string): readonly Change[] {
  const groups = Map.groupBy(
    changes.filter(({ shared }) => shared),
    ({ path }) => statOf(path)?.ino,
  );
  if (groups.size === 0) return changes;
  const parted = new Set<Change>();
  const firstOf = new Map<Change, Change>();
  for (const [inode, group] of groups) {
    const [first] = group;
    const isOne = group.every(({ after }) => first && same(after, first.after));
    for (const one of group) if (!isOne) parted.add(one);
    for (const one of isOne ? group.slice(1) : []) firstOf.set(one, first!);
    if (!isOne) groups.delete(inode);
  }
  const own = changes.map((one): Change => {
    const first = firstOf.get(one);
    if (first && one.after.type === "file") return { ...one, after: { ...one.after, linkOf: first.path } };
    const { shared: _, ...alone } = one;
    return parted.has(one) ? alone : one;
  });
  const isChanged = new Set(changes.map(({ path }) => path));
  const others = [...scan(root).entries].flatMap(([path, { kind, inode }]): Change[] => {
    const [first] = kind === "file" && !isChanged.has(path) ? (groups.get(inode) ?? []) : [];
    if (first?.after.type !== "file") return [];
    return [{ path, before: first.before, after: { ...first.after, linkOf: first.path }, shared: true }];
  });
  return [...own, ...others];
}

/**
 * Notes for names that are removed or get another file which other names the old file has, so that undo makes them one
 * file again: a name that stays, or the first one. Scans the workspace, but only if such a file has several names.
 */
export function withFormerNames(changes: readonly Change[], root: string): readonly Change[] {
  const inodes = new Map<bigint, string[]>();
  const parting = new Set<string>();
  for (const change of changes) {
    const { path, before, shared } = change;
    const found = before.type === "file" && !shared && !isDetail(change) ? statOf(path) : undefined;
    if (!found?.isFile() || found.nlink < 2n) continue;
    inodes.set(found.ino, []);
    parting.add(path);
  }
  if (parting.size === 0) return changes;
  for (const [path, { inode }] of scan(root).entries) inodes.get(inode)?.push(path);
  const firstOf = new Map<string, string>();
  for (const names of inodes.values()) {
    const first = names.find((path) => !parting.has(path)) ?? names.sort()[0] ?? "";
    for (const path of names) if (path !== first) firstOf.set(path, first);
  }
  return changes.map((change): Change => {
    const { before, path } = change;
    const linkOf = parting.has(path) ? firstOf.get(path) : undefined;
    return linkOf === undefined || before.type !== "file" ? change : { ...change, before: { ...before, linkOf } };
  });
}
