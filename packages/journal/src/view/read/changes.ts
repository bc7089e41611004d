import type { BigIntStats } from "node:fs";
import { extractedIn } from "../../base/extract.ts";
import type { BeforeImages } from "../../before-images.ts";
import { hashFile, type Image, imageOf, linkTarget, modeOf, NONE, statOf } from "../../image/image.ts";
import { dropOwnersRights, hasOwnersRights, NO_OWNERS_RIGHTS, withOwnersRights } from "../../image/owners-rights.ts";
import { namesIn, printOf } from "../../image/tree.ts";
import type { Change, Loss } from "../../store/record.ts";
import { namesInView, type View } from "../mount.ts";
import { upperOf } from "../supply.ts";
import { withDetails } from "./details.ts";
import { meanwhile, startOf } from "./meanwhile.ts";
import { withFormerNames, withLinks, withOtherNames } from "./names.ts";

/** A command's changes in its view, compared with the current workspace. */
export interface ViewChanges {
  /** Changes that can be applied, with before-images. */
  readonly changes: readonly Change[];
  /** Files with only a new time. */
  readonly touched: readonly string[];
  /** Paths that others changed while the command ran. */
  readonly conflicts: readonly string[];
  /** Changes that cannot be applied. */
  readonly losses: readonly Loss[];
  /** The stat of each checked path in the workspace; `undefined`: it does not exist. */
  readonly found: ReadonlyMap<string, BigIntStats | undefined>;
}

/** Folders with more entries are moved as a whole; smaller ones entry by entry. */
const TREE_ENTRIES = 5_000;
const SOCKET = "A socket exists only as long as the program that created it.";

interface ReadingOptions {
  /** Changes of others in the meantime are not conflicts. */
  readonly force?: boolean;
  /** Ignored paths: a command's changes to them are discarded with its view. */
  isOwn?(path: string): boolean;
  /** Files with other names that must not change with them. */
  readonly isLinked?: ((path: string) => boolean) | undefined;
}

/** Reads the upper layer of a view whose processes have ended. Changes nothing in the workspace. */
export function changesIn(
  view: View,
  keeping: BeforeImages,
  { force = false, isOwn = () => false, isLinked = () => false }: ReadingOptions = {},
): ViewChanges {
  const copied = extractedIn(view.folder);
  const startNs = startOf(view);
  const others = meanwhile(view, force);
  const changes: Change[] = [];
  const touched: string[] = [];
  const conflicts: string[] = [];
  const losses: Loss[] = [];
  const doubtful: string[] = [];
  const found = new Map<string, BigIntStats | undefined>();
  const names = new Map<bigint, string[]>();
  /** Entries that differ from the workspace's in nothing that a stat or their content tells. */
  const alike: string[] = [];
  /** Files that were replaced by files with the same content, and had further names. */
  const parted = new Map<string, Change>();

  const upperPath = (path: string): string => upperOf(view.folder) + path.slice(view.root.length);
  function compareFolder(path: string): void {
    const inUpper = namesIn(upperPath(path));
    for (const name of inUpper) compare(`${path}/${name}`);
    // A copy tells what was removed in it.
    if (copied) return;
    // Entries that the upper layer does not contain may still be hidden, if their folder was created again.
    const mentioned = new Set(inUpper);
    if (path !== view.root && namesIn(path).some((name) => !mentioned.has(name))) doubtful.push(path);
  }

  function compare(path: string): void {
    if (isOwn(path)) return;
    const now = statOf(upperPath(path));
    const real = statOf(path);
    found.set(path, real);
    if (!now) return;
    if (isWhiteout(now)) {
      const before = real && removal(path, real);
      if (before) changes.push({ path, before, after: NONE });
    } else if (now.isSocket()) losses.push({ path, why: SOCKET });
    else if (!real) {
      if (others.isGone(path)) conflicts.push(path);
      else made(path, now, NONE);
    } else if (now.isDirectory() && real.isDirectory()) {
      const before = imageOf(path, real);
      if (modeOf(now) !== modeOf(real)) changes.push({ path, before, after: imageOf(upperPath(path), now) });
      else alike.push(path);
      compareFolder(path);
    } else if (now.isDirectory() || real.isDirectory()) {
      const before = removal(path, real);
      if (before) made(path, now, before);
    } else if (others.isChanged(path, real)) conflicts.push(path);
    else changed(path, now, real);
  }

  /** Adds a new entry, in the place of `before`. */
  function made(path: string, now: BigIntStats, before: Image): void {
    if (now.isSocket()) return void losses.push({ path, why: SOCKET });
    if (isWhiteout(now)) return;
    const upper = upperPath(path);
    if (!now.isDirectory()) {
      noteName(path, now);
      changes.push({ path, before, after: imageOf(upper, stripped(path, now)), ...lacksOf(now) });
      return;
    }
    if (printOf(upper).entries > TREE_ENTRIES) {
      const dropped = withOwnersRights(upper);
      for (const inner of dropped) dropOwnersRights(`${upper}${inner}`);
      const { entries, print } = printOf(upper);
      const lacks = dropped.length > 0 ? { lacks: NO_OWNERS_RIGHTS } : {};
      return void changes.push({ path, before, after: { type: "tree", print, entries }, ...lacks });
    }
    changes.push({ path, before, after: imageOf(upper, now) });
    for (const name of namesIn(upper)) made(`${path}/${name}`, statOf(`${upper}/${name}`)!, NONE);
  }

  /** Removes the bits that would run a file with its owner's rights for everybody. */
  function stripped(path: string, now: BigIntStats): BigIntStats {
    if (!hasOwnersRights(now)) return now;
    dropOwnersRights(upperPath(path));
    return statOf(upperPath(path)) ?? now;
  }

  /** Groups the names of a file in the upper layer that has several. */
  function noteName(path: string, now: BigIntStats): void {
    if (now.isFile() && now.nlink > 1n) names.set(now.ino, [...(names.get(now.ino) ?? []), path]);
  }

  function changed(path: string, now: BigIntStats, real: BigIntStats): void {
    noteName(path, now);
    const upper = upperPath(path);
    if (now.isSymbolicLink() && real.isSymbolicLink() && linkTarget(upper) === linkTarget(path)) return;
    if (!now.isFile()) return void changes.push({ path, before: keeping.keep(path), after: imageOf(upper, now) });
    const hash = hashFile(upper, now.size);
    if (real.isFile() && now.size === real.size && modeOf(now) === modeOf(real)) {
      if (hash === hashFile(path)) {
        const isReplaced = real.nlink > 1n && !isSameFile(path, now, true);
        if (isReplaced) parted.set(path, { path, before: keeping.keep(path, real), after: imageOf(upper, now, hash) });
        if (now.mtimeNs === real.mtimeNs) return void alike.push(path);
        if (isLinked(path))
          return void changes.push({ path, before: keeping.keep(path, real), after: imageOf(upper, now, hash) });
        touched.push(path);
        return void alike.push(path);
      }
    }
    const before = keeping.keep(path, real);
    const isSame = before.type === "file" && before.hash === hash;
    const isShared = real.isFile() && real.nlink > 1n && isSameFile(path, now, isSame) && !isLinked(path);
    const isRightful = isSame && hasOwnersRights(real);
    const after = imageOf(upper, isRightful ? now : stripped(path, now), hash);
    const more = { ...(isShared ? { shared: true as const } : {}), ...(isRightful ? {} : lacksOf(now)) };
    changes.push({ path, before, after, ...more });
  }

  const isSameFile = (path: string, now: BigIntStats, isSame: boolean): boolean =>
    copied ? copied.inPlace.has(path) : isInPlace(now, isSame);

  /**
   * Whether a file with several names was written in place, and not replaced by another file under one of them. An
   * overlay does not mark such copies. But they have the original's access time, which no new file has. In doubt it
   * was replaced: then the other names keep their content.
   */
  const isInPlace = (now: BigIntStats, isSame: boolean): boolean =>
    now.nlink === 1n && now.atimeNs < startNs && (now.mtimeNs >= startNs || isSame);

  /** The image of an entry to remove, with everything below it; `undefined` if others changed it meanwhile. */
  function removal(path: string, real: BigIntStats): Image | undefined {
    if (!real.isDirectory()) {
      if (!others.isChanged(path, real)) return keeping.keep(path);
      conflicts.push(path);
      return undefined;
    }
    if (others.isTreeChanged(path, real)) {
      conflicts.push(path);
      return undefined;
    }
    if (printOf(path).entries > TREE_ENTRIES) return keeping.keepTree(path);
    for (const name of namesIn(path)) {
      const inner = `${path}/${name}`;
      const there = statOf(inner)!;
      found.set(inner, there);
      const before = removal(inner, there);
      if (before) changes.push({ path: inner, before, after: NONE });
    }
    return imageOf(path, real);
  }

  function resolveDoubts(): void {
    for (const [path, seen] of namesInView(view, doubtful)) {
      for (const name of namesIn(path)) {
        const own = `${path}/${name}`;
        const real = seen.has(name) || statOf(upperPath(own)) ? undefined : statOf(own);
        const before = real && removal(own, real);
        if (before) changes.push({ path: own, before, after: NONE });
      }
    }
  }

  function removedInCopy(path: string): void {
    if (found.has(path)) return;
    const real = isOwn(path) ? undefined : statOf(path);
    found.set(path, real);
    const before = real && removal(path, real);
    if (before) changes.push({ path, before, after: NONE });
  }

  compareFolder(view.root);
  for (const path of copied?.removed ?? []) removedInCopy(path);
  resolveDoubts();
  const detailed = withDetails({ changes, alike, keeping, upper: upperPath });
  const all = withFormerNames(
    withOtherNames(withLinks(detailed, names), { root: view.root, isLinked, parted }),
    view.root,
  );
  return { changes: all.map(aloneIn(isLinked)), touched, conflicts, losses, found };
}

const aloneIn =
  (isLinked: (path: string) => boolean) =>
  (change: Change): Change =>
    change.before.type === "file" && isLinked(change.path) ? { ...change, alone: true } : change;

const lacksOf = (found: BigIntStats) => (hasOwnersRights(found) ? { lacks: NO_OWNERS_RIGHTS } : {});

/** An overlay marks a removed name with a character device 0:0. */
const isWhiteout = (found: BigIntStats): boolean => found.isCharacterDevice() && found.rdev === 0n;
