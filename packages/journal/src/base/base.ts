import { chmodSync, existsSync, lchownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { type ResidentProgram, writeAttributes } from "@haft/host/files";
import { statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { type Scan, scan } from "../image/scan.ts";
import { type Trace, traceOf } from "../image/trace.ts";
import { attributesAt } from "../store/details.ts";
import { newId } from "../store/record.ts";
import { type BaseIndex, readIndex, writeIndex } from "./base-index.ts";
import { copyEntries, shares, tooBigForOne } from "./copy-entries.ts";

/** A copy of a workspace, for machines without overlay mounts. It is kept, and brought up to date by stats. */
export interface Base {
  /** The folder of the copy. */
  readonly tree: string;
  /** Whether there is a copy already. */
  readonly exists: boolean;
  /**
   * Brings the copy up to date. Resolves to `undefined` if the workspace has too many entries. `isSettled`: a file that somebody
   * writes to while it is copied is copied again. `isForCommand`: a command changes the copy next, until `end`. After a
   * kill before that, entries that differ from the last index are copied again.
   */
  refresh(options?: { readonly isSettled?: boolean; readonly isForCommand?: boolean }): Promise<Refreshed | undefined>;
  /** The time of the last refresh, on the clock of the file system. */
  readonly since: bigint;
  /** Entries of the copy that changed since then. */
  changes(): BaseChanges;
  /** The copy of an entry, if it was made of the one with this mark. */
  copyOf(path: string, mark: string): string | undefined;
  /** Ends the use by a command. These entries, by absolute path in the workspace, are copied again next time. */
  end(changed: Iterable<string>): void;
  /** Removes the copy. Entries that cannot be removed stay beside it. */
  discard(): void;
}

export interface Refreshed {
  readonly entries: number;
  /** Entries that had to be copied; a new folder counts with everything in it. */
  readonly copied: number;
  /** The copy was up to date already. */
  readonly isSame: boolean;
  /** Absolute paths of entries that could not be copied. */
  readonly missing: readonly string[];
}

/** By absolute path in the workspace. */
export interface BaseChanges {
  /** New, written or with another mode. A folder comes before its content. */
  readonly changed: readonly string[];
  /** The topmost removed entries. */
  readonly removed: readonly string[];
  /** Changed entries that the base had. */
  readonly known: ReadonlySet<string>;
  /** Those that are still the same file. */
  readonly inPlace: ReadonlySet<string>;
  /** The marks that changed and removed entries had in the workspace, and all below them. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Most entries of a workspace that is copied. */
export const BASE_ENTRIES = 200_000;

const SETTLE_ROUNDS = 3;

type Entries = Scan["entries"];

export interface BaseOptions {
  /** The folder of the copy: on the file system of the workspace, outside of it. */
  readonly folder: string;
  readonly root: string;
  /** Paths that are not copied: Haft's own. */
  isOwn(path: string): boolean;
  /** The shell that copies. */
  readonly shell: ResidentProgram;
  /** Most bytes of its files. Default: no limit. */
  readonly bytes?: number;
}

/** Opens the base of a workspace. Copies nothing yet. */
export const openBase = (options: BaseOptions): Base => new BaseFolder(options);

class BaseFolder implements Base {
  readonly tree: string;
  readonly #options: BaseOptions;
  /** Exists while a command changes the copy: after a kill, its content is unknown. */
  readonly #dirty: string;
  readonly #stamp: string;
  #index: BaseIndex | undefined;

  constructor(options: BaseOptions) {
    this.#options = options;
    this.tree = join(options.folder, "tree");
    this.#dirty = join(options.folder, "dirty");
    this.#stamp = join(options.folder, "stamp");
  }

  get exists(): boolean {
    return existsSync(join(this.#options.folder, "index"));
  }

  get since(): bigint {
    return statOf(this.#stamp)?.ctimeNs ?? 0n;
  }

  copyOf(path: string, mark: string): string | undefined {
    return this.#known.get(path)?.mark === mark ? this.#placeOf(path) : undefined;
  }

  async refresh(options: Parameters<Base["refresh"]>[0] = {}): Promise<Refreshed | undefined> {
    try {
      return await this.#refresh(options);
    } catch (thrown) {
      // A command made an entry of the copy immutable.
      if ((thrown as NodeJS.ErrnoException).code !== "EPERM" || !existsSync(this.#options.folder)) throw thrown;
      this.discard();
      return this.#refresh(options);
    }
  }

  async #refresh({ isSettled = false, isForCommand = false } = {}): Promise<Refreshed | undefined> {
    const { root, isOwn, bytes = Number.POSITIVE_INFINITY } = this.#options;
    mkdirSync(this.tree, { recursive: true, mode: 0o700 });
    writeFileSync(this.#stamp, "");
    this.#clean();
    const partial = new Set<string>();
    const { entries, complete } = scan(root, {
      limit: BASE_ENTRIES,
      isSkipped(path) {
        if (!isOwn(path)) return false;
        for (let above = parent(path); above.length > root.length; above = parent(above)) partial.add(above);
        return true;
      },
    });
    if (!complete || sizeOf(entries) > bytes) return undefined;
    const known = this.#known;
    const fresh = [...entries].filter(([path, { mark }]) => known.get(path)?.mark !== mark);
    const gone = [...known.keys()].filter((path) => !entries.has(path));
    this.#drop(gone.filter((path) => parent(path) === root || entries.has(parent(path))));
    for (const path of gone) known.delete(path);
    const copied = await this.#copyFresh(fresh, partial);
    const marks = new Map(fresh.map(([path, { mark }]) => [path, mark]));
    if (isSettled) await this.#copyTorn(marks);
    const missing = this.#note(marks, entries);
    const isSame = fresh.length === 0 && gone.length === 0 && this.exists;
    if (isForCommand) writeFileSync(this.#dirty, "");
    else this.#seal(isSame);
    return { entries: entries.size, copied, isSame, missing };
  }

  changes(): BaseChanges {
    const { root } = this.#options;
    const entries = new Map([...this.#scanTree()].map(([path, trace]) => [root + path.slice(this.tree.length), trace]));
    const then = this.#known;
    const changed = [...entries].filter(([path, { mark }]) => then.get(path)?.own !== mark).map(([path]) => path);
    const isGone = (path: string): boolean => then.has(path) && !entries.has(path);
    const isFolder = (path: string): boolean => path === root || entries.get(path)?.kind === "folder";
    const removed = [...then.keys()].filter((path) => isGone(path) && entries.get(parent(path))?.kind !== "file");
    const had = changed.filter((path) => then.has(path));
    const differs = new Set([...had, ...[...then.keys()].filter(isGone)]);
    return {
      changed,
      marks: new Map([...differs].map((path) => [path, then.get(path)?.mark ?? ""])),
      removed: removed.filter((path) => !isGone(parent(path)) && isFolder(parent(path))),
      known: new Set(had),
      inPlace: new Set(had.filter((path) => then.get(path)?.own.split(" ")[0] === `${entries.get(path)?.inode}`)),
    };
  }

  end(changed: Iterable<string>): void {
    this.#forget(changed);
    this.#seal(false);
  }

  discard(): void {
    const { folder } = this.#options;
    const old = `${folder}-old`;
    this.#index = undefined;
    // An immutable entry cannot be removed, but a folder above it can be moved away.
    mkdirSync(old, { recursive: true, mode: 0o700 });
    renameSync(folder, join(old, newId()));
    try {
      rmSync(old, { recursive: true, force: true });
    } catch {
      // The next one tries again.
    }
  }

  /** The entries of the copy, with the marks of their originals and their own. */
  get #known(): BaseIndex {
    const { folder, root } = this.#options;
    this.#index ??= existsSync(this.tree) ? readIndex(folder, root) : new Map();
    return this.#index;
  }

  #placeOf(path: string): string {
    return this.tree + path.slice(this.#options.root.length);
  }

  #isFolder(path: string): boolean {
    return statOf(this.#placeOf(path))?.isDirectory() === true;
  }

  #scanTree(): Entries {
    return scan(this.tree, { limit: BASE_ENTRIES * 2 }).entries;
  }

  #drop(paths: Iterable<string>): void {
    for (const path of paths) rmSync(toSystem(this.#placeOf(path)), { recursive: true, force: true });
  }

  /** Ends the use by a command: the index tells what the copy holds. */
  #seal(isSame: boolean): void {
    if (!isSame) writeIndex(this.#options.folder, this.#options.root, this.#known);
    rmSync(this.#dirty, { force: true });
  }

  #clean(): void {
    if (!existsSync(this.#dirty)) return;
    const { changed, removed, inPlace } = this.changes();
    this.#drop(changed.filter((path) => !inPlace.has(path) || !this.#isFolder(path)));
    this.#forget([...changed, ...removed]);
  }

  /** A folder that still exists only gets its owner, mode and attributes again. */
  #forget(paths: Iterable<string>): void {
    const known = this.#known;
    const gone = new Set<string>();
    for (const path of paths) {
      if (known.has(path) && this.#isFolder(path)) known.set(path, { mark: "", own: "" });
      else gone.add(path);
    }
    const isGone = (path: string): boolean => path !== this.#options.root && (gone.has(path) || isGone(parent(path)));
    for (const path of [...known.keys()]) if (isGone(path)) known.delete(path);
  }

  /** Copies new and changed entries, and never a folder of `partial` as a whole. Returns the number of copied ones. */
  async #copyFresh(fresh: readonly (readonly [string, Trace])[], partial: ReadonlySet<string>): Promise<number> {
    /** Folders that are copied as a whole, with the topmost of them. */
    const whole = new Map<string, string>();
    /** Copied paths, with the number of entries of each. */
    const copies = new Map<string, number>();
    const parted = tooBigForOne(fresh, this.#options.root);
    for (const [path, { kind, mode }] of fresh) {
      const top = whole.get(parent(path));
      if (top !== undefined) {
        if (kind === "folder") whole.set(path, top);
        copies.set(top, (copies.get(top) ?? 0) + 1);
        continue;
      }
      const had = this.#known.has(path) ? traceOf(this.#placeOf(path)) : undefined;
      if (had && had.kind !== kind) this.#drop([path]);
      if (kind !== "folder") copies.set(path, 1);
      else if (had?.kind === "folder") continue;
      else if (partial.has(path) || parted?.has(path)) mkdirSync(toSystem(this.#placeOf(path)), { mode: mode | 0o700 });
      else {
        whole.set(path, path);
        copies.set(path, 1);
      }
    }
    await this.#copy(copies, parted !== undefined);
    this.#copyRights(fresh.filter(([path, { kind }]) => kind === "folder" && !whole.has(path)));
    return copies.size;
  }

  async #copy(wanted: ReadonlyMap<string, number>, areMany: boolean): Promise<void> {
    const { root, folder, shell } = this.#options;
    const lists = shares(wanted, areMany).map((paths) => paths.map((path) => path.slice(root.length)));
    await copyEntries(root, this.tree, lists, { scratch: folder, shell });
  }

  /** Notes the copies of these entries in the index. Returns those that have none. */
  #note(marks: ReadonlyMap<string, string>, entries: Entries): readonly string[] {
    const known = this.#known;
    for (const [path, mark] of marks) {
      const own = traceOf(this.#placeOf(path))?.mark;
      if (own === undefined) known.delete(path);
      else known.set(path, { mark, own });
    }
    // Copying entries into a folder changed its times.
    for (const [path, entry] of known)
      if (entries.get(path)?.kind === "folder")
        known.set(path, { ...entry, own: traceOf(this.#placeOf(path))?.mark ?? "" });
    return [...marks.keys()].filter((path) => !known.has(path) && statOf(path) !== undefined);
  }

  /** Gives folders of the copy the attributes, owners and modes of those in the workspace. */
  #copyRights(folders: readonly (readonly [string, Trace])[]): void {
    const attributes = attributesAt(folders.flatMap(([path]) => [path, this.#placeOf(path)]));
    const wanted = folders.flatMap(([path]) => {
      const all = attributes.get(path) ?? {};
      return JSON.stringify(attributes.get(this.#placeOf(path)) ?? {}) === JSON.stringify(all)
        ? []
        : [{ path: toSystem(this.#placeOf(path)), attributes: all }];
    });
    writeAttributes(wanted);
    for (const [path, { mode }] of folders) {
      const found = statOf(path);
      if (!found) continue;
      const place = toSystem(this.#placeOf(path));
      if (process.geteuid?.() === 0) lchownSync(place, Number(found.uid), Number(found.gid));
      chmodSync(place, mode);
    }
  }

  /** Copies files again that were written to meanwhile. One that keeps changing is copied again by the next refresh. */
  async #copyTorn(marks: Map<string, string>): Promise<void> {
    for (let round = 0; round < SETTLE_ROUNDS; round++) {
      const now = [...marks].map(([path, mark]) => ({ path, mark, trace: traceOf(path) }));
      const torn = now.filter(
        ({ mark, trace }) => trace !== undefined && trace.kind !== "folder" && trace.mark !== mark,
      );
      if (torn.length === 0) return;
      await this.#copy(new Map(torn.map(({ path }) => [path, 1])), false);
      for (const { path, trace } of torn) marks.set(path, trace!.mark);
    }
  }
}

/** Bytes of the files. */
function sizeOf(entries: Entries): number {
  let size = 0;
  for (const trace of entries.values()) if (trace.kind === "file") size += trace.size;
  return size;
}
