import type { BigIntStats } from "node:fs";
import { type Extracted, extractedIn } from "../../base/extract.ts";
import type { BeforeImages } from "../../before-images.ts";
import { hashFile, type Image, imageOf, isForeign, linkTarget, modeOf, NONE, statOf } from "../../image/image.ts";
import { dropOwnersRights, hasOwnersRights, NO_OWNERS_RIGHTS, withOwnersRights } from "../../image/owners-rights.ts";
import { scan } from "../../image/scan.ts";
import { namesIn, printOf } from "../../image/tree.ts";
import type { Change, Loss } from "../../store/record.ts";
import { namesInView, type View } from "../mount.ts";
import { upperOf } from "../supply.ts";
import { withDetails } from "./details.ts";
import { type Meanwhile, meanwhile, startOf } from "./meanwhile.ts";
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
export const changesIn = (view: View, keeping: BeforeImages, options: ReadingOptions = {}): ViewChanges =>
  new UpperLayer(view, keeping, options).read();

class UpperLayer {
  readonly #view: View;
  readonly #keeping: BeforeImages;
  readonly #isOwn: (path: string) => boolean;
  readonly #isLinked: (path: string) => boolean;
  readonly #copied: Extracted | undefined;
  readonly #startNs: bigint;
  readonly #others: Meanwhile;
  readonly #changes: Change[] = [];
  readonly #touched: string[] = [];
  readonly #conflicts: string[] = [];
  readonly #losses: Loss[] = [];
  readonly #doubtful: string[] = [];
  readonly #found = new Map<string, BigIntStats | undefined>();
  /** All entries of the upper layer, with their inodes, if they had to be known. */
  #upper: readonly (readonly [path: string, inode: bigint])[] | undefined;
  readonly #names = new Map<bigint, string[]>();
  /** Entries that differ from the workspace's in nothing that a stat or their content tells. */
  readonly #alike: string[] = [];
  /** Files that were replaced by files with the same content, and had further names. */
  readonly #parted = new Map<string, Change>();

  constructor(
    view: View,
    keeping: BeforeImages,
    { force = false, isOwn = () => false, isLinked = () => false }: ReadingOptions,
  ) {
    this.#view = view;
    this.#keeping = keeping;
    this.#isOwn = isOwn;
    this.#isLinked = isLinked;
    this.#copied = extractedIn(view.folder);
    this.#startNs = startOf(view);
    this.#others = meanwhile(view, force);
  }

  read(): ViewChanges {
    const { root } = this.#view;
    const isLinked = this.#isLinked;
    this.#compareFolder(root);
    for (const path of this.#copied?.removed ?? []) this.#removedInCopy(path);
    this.#resolveDoubts();
    const detailed = withDetails({
      ...{ changes: this.#changes, alike: this.#alike, keeping: this.#keeping },
      upper: this.#upperPath,
    });
    const all = withFormerNames(
      withOtherNames(withLinks(detailed, this.#names), { root, isLinked, parted: this.#parted }),
      root,
      (path, old) => !this.#copied && statOf(this.#upperPath(path))?.mtimeNs === statOf(old)?.mtimeNs,
    );
    return {
      ...{ changes: all.map(aloneIn(isLinked)), touched: this.#touched, conflicts: this.#conflicts },
      ...{ losses: this.#losses, found: this.#found },
    };
  }

  readonly #upperPath = (path: string): string => upperOf(this.#view.folder) + path.slice(this.#view.root.length);

  #compareFolder(path: string): void {
    const inUpper = namesIn(this.#upperPath(path));
    for (const name of inUpper) this.#compare(`${path}/${name}`);
    // A copy tells what was removed in it.
    if (this.#copied) return;
    // Entries that the upper layer does not contain may still be hidden, if their folder was created again.
    const mentioned = new Set(inUpper);
    if (path !== this.#view.root && namesIn(path).some((name) => !mentioned.has(name))) this.#doubtful.push(path);
  }

  #compare(path: string): void {
    if (this.#isOwn(path)) return;
    const now = statOf(this.#upperPath(path));
    const real = statOf(path);
    this.#found.set(path, real);
    if (!now) return;
    if (isWhiteout(now)) {
      const before = real && this.#removal(path, real);
      if (before) this.#changes.push({ path, before, after: NONE });
    } else if (now.isSocket()) this.#losses.push({ path, why: SOCKET });
    else if (!real) {
      if (this.#others.isGone(path)) this.#conflicts.push(path);
      else this.#made(path, now, NONE);
    } else if (now.isDirectory() && real.isDirectory()) {
      const before = imageOf(path, real);
      if (modeOf(now) !== modeOf(real))
        this.#changes.push({ path, before, after: imageOf(this.#upperPath(path), now) });
      else this.#alike.push(path);
      this.#compareFolder(path);
    } else if (now.isDirectory() || real.isDirectory()) {
      const before = this.#removal(path, real);
      if (before) this.#made(path, now, before);
    } else if (this.#others.isChanged(path, real)) this.#conflicts.push(path);
    else this.#changed(path, now, real);
  }

  /** Adds a new entry, in the place of `before`. */
  #made(path: string, now: BigIntStats, before: Image): void {
    if (now.isSocket()) return void this.#losses.push({ path, why: SOCKET });
    if (isWhiteout(now)) return;
    const upper = this.#upperPath(path);
    if (!now.isDirectory()) {
      this.#noteName(path, now);
      this.#changes.push({ path, before, after: imageOf(upper, this.#stripped(path, now)), ...lacksOf(now) });
      return;
    }
    if (printOf(upper).entries > TREE_ENTRIES) {
      const dropped = withOwnersRights(upper);
      for (const inner of dropped) dropOwnersRights(`${upper}${inner}`);
      const { entries, print } = printOf(upper);
      const lacks = dropped.length > 0 ? { lacks: NO_OWNERS_RIGHTS } : {};
      return void this.#changes.push({ path, before, after: { type: "tree", print, entries }, ...lacks });
    }
    this.#changes.push({ path, before, after: imageOf(upper, now) });
    for (const name of namesIn(upper)) this.#made(`${path}/${name}`, statOf(`${upper}/${name}`)!, NONE);
  }

  /** Removes the bits that would run a file with its owner's rights for everybody. */
  #stripped(path: string, now: BigIntStats): BigIntStats {
    if (!hasOwnersRights(now)) return now;
    dropOwnersRights(this.#upperPath(path));
    return statOf(this.#upperPath(path)) ?? now;
  }

  /** Groups the names of a file in the upper layer that has several. */
  #noteName(path: string, now: BigIntStats): void {
    if (now.isFile() && now.nlink > 1n) this.#names.set(now.ino, [...(this.#names.get(now.ino) ?? []), path]);
  }

  #changed(path: string, now: BigIntStats, real: BigIntStats): void {
    this.#noteName(path, now);
    const upper = this.#upperPath(path);
    if (now.isSymbolicLink() && real.isSymbolicLink() && linkTarget(upper) === linkTarget(path)) return;
    if (!now.isFile())
      return void this.#changes.push({ path, before: this.#keeping.keep(path), after: imageOf(upper, now) });
    const hash = hashFile(upper, now.size);
    if (real.isFile() && now.size === real.size && modeOf(now) === modeOf(real)) {
      if (hash === hashFile(path)) {
        const isReplaced = real.nlink > 1n && !this.#isSameFile(path, { now, real, isSame: true });
        if (isReplaced)
          this.#parted.set(path, { path, before: this.#keeping.keep(path, real), after: imageOf(upper, now, hash) });
        if (now.mtimeNs === real.mtimeNs) return void this.#alike.push(path);
        if (this.#isLinked(path))
          return void this.#changes.push({
            path,
            before: this.#keeping.keep(path, real),
            after: imageOf(upper, now, hash),
          });
        this.#touched.push(path);
        return void this.#alike.push(path);
      }
    }
    const before = this.#keeping.keep(path, real);
    const isSame = before.type === "file" && before.hash === hash;
    const isShared =
      real.isFile() &&
      (real.nlink > 1n || this.#isOthers(now, real)) &&
      this.#isSameFile(path, { now, real, isSame }) &&
      !this.#isLinked(path);
    const isRightful = isSame && hasOwnersRights(real);
    const after = imageOf(upper, isRightful ? now : this.#stripped(path, now), hash);
    const more = { ...(isShared ? { shared: true as const } : {}), ...(isRightful ? {} : lacksOf(now)) };
    this.#changes.push({ path, before, after, ...more });
  }

  /** Whether this is the copy of a file of another user. An overlay has none. A new file may get the inode of a removed one. */
  #isOthers(now: BigIntStats, real: BigIntStats): boolean {
    return this.#copied !== undefined && isForeign(real) && now.birthtimeNs <= this.#startNs;
  }

  #isSameFile(path: string, compared: Compared): boolean {
    return this.#copied ? this.#copied.inPlace.has(path) : this.#isInPlace(compared);
  }

  /**
   * Whether a file with several names was written in place, and not replaced by another file under one of them. An
   * overlay does not mark such copies. But they have the original's access time, which no new file has. In doubt it
   * was replaced: then the other names keep their content.
   */
  #isInPlace({ now, real, isSame }: Compared): boolean {
    const isOld = now.nlink === 1n ? now.atimeNs < this.#startNs : now.atimeNs === real.atimeNs;
    return isOld && (now.mtimeNs >= this.#startNs || isSame) && (now.nlink === 1n || this.#hasOnlyNewNames(now, real));
  }

  /** Whether the command gave a file no name that another file has in the workspace: it may be that one. */
  #hasOnlyNewNames(now: BigIntStats, real: BigIntStats): boolean {
    this.#upper ??= [...scan(upperOf(this.#view.folder)).entries].map(([path, { inode }]) => [path, inode]);
    const cut = upperOf(this.#view.folder).length;
    const names = this.#upper
      .filter(([, inode]) => inode === now.ino)
      .map(([path]) => this.#view.root + path.slice(cut));
    return names.every((path) => (statOf(path)?.ino ?? real.ino) === real.ino);
  }

  /** The image of an entry to remove, with everything below it; `undefined` if others changed it meanwhile. */
  #removal(path: string, real: BigIntStats): Image | undefined {
    if (!real.isDirectory()) {
      if (!this.#others.isChanged(path, real)) return this.#keeping.keep(path);
      this.#conflicts.push(path);
      return undefined;
    }
    if (this.#others.isTreeChanged(path, real)) {
      this.#conflicts.push(path);
      return undefined;
    }
    if (printOf(path).entries > TREE_ENTRIES) return this.#keeping.keepTree(path);
    for (const name of namesIn(path)) {
      const inner = `${path}/${name}`;
      const there = statOf(inner)!;
      this.#found.set(inner, there);
      const before = this.#removal(inner, there);
      if (before) this.#changes.push({ path: inner, before, after: NONE });
    }
    return imageOf(path, real);
  }

  #resolveDoubts(): void {
    for (const [path, seen] of namesInView(this.#view, this.#doubtful)) {
      for (const name of namesIn(path)) {
        const own = `${path}/${name}`;
        const real = seen.has(name) || statOf(this.#upperPath(own)) ? undefined : statOf(own);
        const before = real && this.#removal(own, real);
        if (before) this.#changes.push({ path: own, before, after: NONE });
      }
    }
  }

  #removedInCopy(path: string): void {
    if (this.#found.has(path)) return;
    const real = this.#isOwn(path) ? undefined : statOf(path);
    this.#found.set(path, real);
    const before = real && this.#removal(path, real);
    if (before) this.#changes.push({ path, before, after: NONE });
  }
}

/** A file in the upper layer and in the workspace. */
interface Compared {
  readonly now: BigIntStats;
  readonly real: BigIntStats;
  /** They have the same content. */
  readonly isSame: boolean;
}

const aloneIn =
  (isLinked: (path: string) => boolean) =>
  (change: Change): Change =>
    change.before.type === "file" && isLinked(change.path) ? { ...change, alone: true } : change;

const lacksOf = (found: BigIntStats) => (hasOwnersRights(found) ? { lacks: NO_OWNERS_RIGHTS } : {});

/** An overlay marks a removed name with a character device 0:0. */
const isWhiteout = (found: BigIntStats): boolean => found.isCharacterDevice() && found.rdev === 0n;
