import { type Image, isDetail, same, statOf } from "../../image/image.ts";
import { scan } from "../../image/scan.ts";
import { attributesOf } from "../../store/details.ts";
import type { Change } from "../../store/record.ts";

/** Names of upper-layer files with several hard links, by inode. */
export type Names = ReadonlyMap<bigint, readonly string[]>;

/** Makes all names of a file links to one of them: an unchanged one, or one that stays the same file, if there is one. */
export function withLinks(changes: readonly Change[], names: Names): readonly Change[] {
  if (names.size === 0) return changes;
  const changeOf = new Map(changes.map((change) => [change.path, change]));
  const staysSame = (path: string): boolean => changeOf.get(path)!.shared === true || isDetail(changeOf.get(path)!);
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
 * Writing a file in place, or giving it another mode, changes all of its names. Finds those in the workspace, so that each
 * gets its own change. This scans the workspace, but only if files with several names are changed. In an overlay, names
 * that are changed one by one become files of their own; if these exclude each other, they stay so.
 */
export function withOtherNames(changes: readonly Change[], { root, isLinked, parted }: OtherNames): readonly Change[] {
  const ofSeveral = changes.filter(
    (change) => !isLinked(change.path) && !parted.has(change.path) && isOfSeveral(change),
  );
  const groups = Map.groupBy(ofSeveral, ({ path }) => statOf(path)!.ino);
  if (groups.size === 0) return changes;
  const own = new Map<Change, Change>();
  const whole = new Map<bigint, Change>();
  for (const [inode, group] of groups) {
    const first = joined(group);
    if (first) whole.set(inode, first);
    for (const one of group) own.set(one, first ? named(one, first) : alone(one));
  }
  const isChanged = new Set(changes.map(({ path }) => path));
  const others = [...scan(root).entries].flatMap(([path, { kind, inode }]): Change[] => {
    const first = kind === "file" && !isChanged.has(path) ? whole.get(inode) : undefined;
    const one = parted.get(path);
    return first ? [one ? alone(one) : named({ path }, first)] : [];
  });
  const isParted = ({ path }: Change) => parted.has(path) && whole.has(statOf(path)?.ino ?? 0n);
  const ended = (change: Change) =>
    own.get(change) ?? (isParted(change) ? alone(change) : (withContentOf(change, whole, parted) ?? change));
  return [...changes.map(ended), ...others];
}

/** A new name of a file that was changed under other names: it gets their content. */
function withContentOf(
  change: Change,
  whole: ReadonlyMap<bigint, Change>,
  parted: OtherNames["parted"],
): Change | undefined {
  const { before, after } = change;
  const name = before.type === "none" && after.type === "file" ? after.linkOf : undefined;
  const first = name === undefined || parted.has(name) ? undefined : whole.get(statOf(name)?.ino ?? 0n);
  if (first?.after.type !== "file") return undefined;
  return { ...change, after: { ...first.after, linkOf: first.path } };
}

interface OtherNames {
  readonly root: string;
  /** Names that must not change with others. */
  isLinked(path: string): boolean;
  /** By path: files that were replaced by ones with the same content. They do not change with the old file. */
  readonly parted: ReadonlyMap<string, Change>;
}

/** Whether a change keeps a file that has several names. */
function isOfSeveral(change: Change): boolean {
  const found = change.shared || isDetail(change) ? statOf(change.path) : undefined;
  return found?.isFile() === true && found.nlink > 1n;
}

const alone = ({ shared: _, ...change }: Change): Change => ({ ...change, alone: true });

/** The change of a file under one of its names. */
function named({ path, lacks }: Pick<Change, "path" | "lacks">, first: Change): Change {
  const { before, after, shared } = first;
  const isLinked = shared && path !== first.path && after.type === "file";
  return {
    ...{ path, before, after: isLinked ? { ...after, linkOf: first.path } : after },
    ...(shared ? { shared } : {}),
    ...(lacks === undefined ? {} : { lacks }),
  };
}

/** The change of a file under all its names; `undefined` if these changes exclude each other. */
function joined(group: readonly Change[]): Change | undefined {
  const before = group.map((change) => change.before).find((image) => attributesOf(image)) ?? group[0]?.before;
  const afters = group.flatMap(({ after }) => (after.type === "file" ? [after] : []));
  if (before?.type !== "file") return undefined;
  let isOne = true;
  /** The only value that differs from the one before. */
  const pick = <T>(of: (image: FileImage) => T): T => {
    const old = of(before);
    const values = new Map(afters.map((image) => [JSON.stringify(of(image)), of(image)]));
    values.delete(JSON.stringify(old));
    if (values.size > 1) isOne = false;
    return [old, ...values.values()].at(-1) as T;
  };
  const hash = pick((image) => image.hash);
  const writers = group.filter(({ after }) => after.type === "file" && after.hash !== before.hash);
  const first = writers.find(({ after }) => after.type === "file" && after.linkOf === undefined) ?? group[0];
  const { linkOf: _, attributes: __, owner: ___, ...content } = first!.after as FileImage;
  const [mode, owner] = [pick((image) => image.mode), pick((image) => image.owner)];
  const names = new Set([before, ...afters].flatMap(({ attributes = {} }) => Object.keys(attributes)));
  const pairs = [...names].map((name) => [name, pick(({ attributes }) => attributes?.[name])] as const);
  const attributes = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
  const after: FileImage = {
    ...{ ...content, hash },
    ...(mode === undefined ? {} : { mode }),
    ...(owner ? { owner } : {}),
    ...(names.size > 0 ? { attributes } : {}),
  };
  const { path } = first!;
  if (!isOne) return undefined;
  return { path, before, after, ...(writers.length > 0 ? { shared: true as const } : {}) };
}

type FileImage = Extract<Image, { readonly type: "file" }>;

/**
 * Notes for names that are removed or get another file which other names the old file has, so that undo makes them one
 * file again: a name that stays, or the first one. Scans the workspace, but only if such a file has several names.
 * `isRenamed`: whether a new entry has the times of an old one.
 */
export function withFormerNames(
  changes: readonly Change[],
  root: string,
  isRenamed: (path: string, old: string) => boolean,
): readonly Change[] {
  const inodes = new Map<bigint, string[]>();
  const parting = new Set<string>();
  for (const change of changes) {
    const { path, before, shared } = change;
    const isKept = shared || (isDetail(change) && !change.alone);
    const found = before.type === "file" && !isKept ? statOf(path) : undefined;
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
  const removed = changes.filter(({ path, after }) => after.type === "none" && parting.has(path));
  const gone = Map.groupBy(removed, ({ before: file }) => hashOf(file));
  return changes.map((change): Change => {
    const { before, path } = change;
    const linkOf = parting.has(path) ? firstOf.get(path) : undefined;
    if (linkOf !== undefined && before.type === "file") return { ...change, before: { ...before, linkOf } };
    const isParted = ({ path: old, before: file }: Change) => same(file, change.after) && isRenamed(path, old);
    const isNew = before.type === "none" && change.after.type === "file" && !change.lacks;
    return isNew && gone.get(hashOf(change.after))?.some(isParted) ? { ...change, lacks: OTHER_NAMES } : change;
  });
}

/** An overlay copies a renamed file. It may also be a copy whose original was removed, so it is not made one with the others. */
const OTHER_NAMES = "other names (hard links) of a renamed file, which is a file of its own now";

const hashOf = (image: Image): string | undefined => (image.type === "file" ? image.hash : undefined);
