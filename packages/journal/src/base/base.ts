import { chmodSync, existsSync, lchownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin, parent } from "@haft/core/tool";
import { writeAttributes } from "@haft/host/files";
import { statOf } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import { type Scan, scan } from "../image/scan.ts";
import { type Trace, traceOf } from "../image/trace.ts";
import { attributesAt } from "../store/details.ts";
import { type BaseIndex, readIndex, writeIndex } from "./base-index.ts";
import { copyEntries, shares, tooBigForOne } from "./copy-entries.ts";

/** A copy of a workspace, for machines without overlay mounts. It is kept, and brought up to date by stats. */
export interface Base {
  /** The folder of the copy. */
  readonly tree: string;
  /** Whether there is a copy already. */
  readonly exists: boolean;
  /**
   * Brings the copy up to date. `undefined` if the workspace has too many entries. `isSettled`: a file that somebody
   * writes to while it is copied is copied again. `isForCommand`: a command changes the copy next, until `end`. After a
   * kill before that, entries that differ from the last index are copied again.
   */
  refresh(options?: { readonly isSettled?: boolean; readonly isForCommand?: boolean }): Refreshed | undefined;
  /** The time of the last refresh, on the clock of the file system. */
  readonly since: bigint;
  /** Entries of the copy that changed since then. */
  changes(): BaseChanges;
  /** The copy of an entry, if it was made of the one with this mark. */
  copyOf(path: string, mark: string): string | undefined;
  /** Ends the use by a command. These entries, by absolute path in the workspace, are copied again next time. */
  end(changed: Iterable<string>): void;
  discard(): void;
}

export interface Refreshed {
  readonly entries: number;
  /** Entries that had to be copied; a new folder counts with everything in it. */
  readonly copied: number;
  /** The copy was up to date already. */
  readonly isSame: boolean;
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

/** Fewer new entries of the copy are looked at one by one. */
const MANY = 4_000;

const SETTLE_ROUNDS = 3;

export interface BaseOptions {
  /** Where the copy is kept: on the file system of the workspace, outside of it. */
  readonly folder: string;
  readonly root: string;
  /** Paths that are not copied: Haft's own. */
  isOwn(path: string): boolean;
  /** Most bytes of its files. Default: no limit. */
  readonly bytes?: number;
}

/** Opens the base of a workspace. Copies nothing yet. */
export function openBase({ folder, root, isOwn, bytes = Number.POSITIVE_INFINITY }: BaseOptions): Base {
  const tree = join(folder, "tree");
  const dirty = join(folder, "dirty");
  const stamp = join(folder, "stamp");
  let index: BaseIndex | undefined;
  const known = (): BaseIndex => {
    index ??= existsSync(tree) ? readIndex(folder, root) : new Map();
    return index;
  };
  const placeOf = (path: string): string => tree + path.slice(root.length);

  function drop(paths: Iterable<string>): void {
    for (const path of paths) rmSync(toSystem(placeOf(path)), { recursive: true, force: true });
  }

  function changes(): BaseChanges {
    const entries = new Map(
      [...scan(tree, { limit: BASE_ENTRIES * 2, isWhole: true }).entries].map(([path, trace]) => [
        root + path.slice(tree.length),
        trace,
      ]),
    );
    const then = known();
    const changed = [...entries].filter(([path, { mark }]) => then.get(path)?.own !== mark).map(([path]) => path);
    const isGone = (path: string): boolean => then.has(path) && !entries.has(path);
    const removed = [...then.keys()].filter((path) => isGone(path) && entries.get(parent(path))?.kind !== "file");
    const had = changed.filter((path) => then.has(path));
    const differs = new Set([...had, ...[...then.keys()].filter(isGone)]);
    return {
      changed,
      marks: new Map([...differs].map((path) => [path, then.get(path)?.mark ?? ""])),
      removed: removed.filter((path) => !isGone(parent(path)) && isFolderIn(entries, parent(path))),
      known: new Set(had),
      inPlace: new Set(had.filter((path) => then.get(path)?.own.split(" ")[0] === `${entries.get(path)?.inode}`)),
    };
  }

  const isFolderIn = (entries: Scan["entries"], path: string): boolean =>
    path === root || entries.get(path)?.kind === "folder";

  /** After a kill, the content of the copy is unknown. */
  function clean(): void {
    if (!existsSync(dirty)) return;
    const { changed, removed, inPlace } = changes();
    drop(changed.filter((path) => !inPlace.has(path) || !isFolder(path)));
    forget([...changed, ...removed]);
  }

  const isFolder = (path: string): boolean => statOf(placeOf(path))?.isDirectory() === true;

  /** A folder that still exists only gets its owner, mode and attributes again. */
  function forget(paths: Iterable<string>): void {
    const gone = new Set<string>();
    for (const path of paths) {
      if (known().has(path) && isFolder(path)) known().set(path, { mark: "", own: "" });
      else gone.add(path);
    }
    const isGone = (path: string): boolean => path !== root && (gone.has(path) || isGone(parent(path)));
    for (const path of [...known().keys()]) if (isGone(path)) known().delete(path);
  }

  function copy(wanted: ReadonlyMap<string, number>, areMany: boolean): void {
    const lists = shares(wanted, areMany).map((paths) => paths.map((path) => path.slice(root.length)));
    copyEntries(root, tree, lists, folder);
  }

  function refresh({ isSettled = false, isForCommand = false } = {}): Refreshed | undefined {
    mkdirSync(tree, { recursive: true, mode: 0o700 });
    writeFileSync(stamp, "");
    clean();
    const { entries, complete } = scan(root, { limit: BASE_ENTRIES, isSkipped: isOwn, isWhole: true });
    let size = 0;
    for (const trace of entries.values()) if (trace.kind === "file") size += trace.size;
    if (!complete || size > bytes) return undefined;
    const then = known();
    const fresh = [...entries].filter(([path, { mark }]) => then.get(path)?.mark !== mark);
    const gone = [...then.keys()].filter((path) => !entries.has(path));
    drop(gone.filter((path) => parent(path) === root || entries.has(parent(path))));
    for (const path of gone) then.delete(path);
    /** Folders that are copied as a whole, with the topmost of them. */
    const whole = new Map<string, string>();
    /** Copied paths, with the number of entries of each. */
    const copies = new Map<string, number>();
    const parted = tooBigForOne(fresh, root);
    for (const [path, { kind, mode }] of fresh) {
      const top = whole.get(parent(path));
      if (top !== undefined) {
        if (kind === "folder") whole.set(path, top);
        copies.set(top, (copies.get(top) ?? 0) + 1);
        continue;
      }
      const had = then.has(path) ? traceOf(placeOf(path)) : undefined;
      if (had && had.kind !== kind) drop([path]);
      if (kind !== "folder") copies.set(path, 1);
      else if (had?.kind === "folder") continue;
      else if (holdsOwn(path) || parted?.has(path)) mkdirSync(toSystem(placeOf(path)), { mode });
      else {
        whole.set(path, path);
        copies.set(path, 1);
      }
    }
    copy(copies, parted !== undefined);
    copyRights(fresh.filter(([path, { kind }]) => kind === "folder" && !whole.has(path)));
    const marks = new Map(fresh.map(([path, { mark }]) => [path, mark]));
    if (isSettled) copyTorn(marks);
    const copied = marks.size > MANY ? scan(tree, { limit: BASE_ENTRIES * 2, isWhole: true }).entries : undefined;
    for (const [path, mark] of marks) {
      const own = (copied ? copied.get(placeOf(path)) : traceOf(placeOf(path)))?.mark;
      if (own === undefined) then.delete(path);
      else then.set(path, { mark, own });
    }
    // Copying entries into a folder changed its times.
    for (const [path, known] of then)
      if (entries.get(path)?.kind === "folder") then.set(path, { ...known, own: traceOf(placeOf(path))?.mark ?? "" });
    const isSame = fresh.length === 0 && gone.length === 0 && existsSync(join(folder, "index"));
    if (isForCommand) writeFileSync(dirty, "");
    else {
      if (!isSame) writeIndex(folder, root, then);
      rmSync(dirty, { force: true });
    }
    return { entries: entries.size, copied: copies.size, isSame };
  }

  /** Gives folders of the copy the attributes, owners and modes of those in the workspace. */
  function copyRights(folders: readonly (readonly [string, Trace])[]): void {
    const attributes = attributesAt(folders.flatMap(([path]) => [path, placeOf(path)]));
    const wanted = folders.flatMap(([path]) => {
      const all = attributes.get(path) ?? {};
      return JSON.stringify(attributes.get(placeOf(path)) ?? {}) === JSON.stringify(all)
        ? []
        : [{ path: toSystem(placeOf(path)), attributes: all }];
    });
    writeAttributes(wanted);
    for (const [path, { mode }] of folders) {
      const found = statOf(path);
      if (!found) continue;
      if (process.geteuid?.() === 0) lchownSync(toSystem(placeOf(path)), Number(found.uid), Number(found.gid));
      chmodSync(toSystem(placeOf(path)), mode);
    }
  }

  /** Copies files again that were written to meanwhile. One that keeps changing is copied again by the next refresh. */
  function copyTorn(marks: Map<string, string>): void {
    for (let round = 0; round < SETTLE_ROUNDS; round++) {
      const now = [...marks].map(([path, mark]) => ({ path, mark, trace: traceOf(path) }));
      const torn = now.filter(
        ({ mark, trace }) => trace !== undefined && trace.kind !== "folder" && trace.mark !== mark,
      );
      if (torn.length === 0) return;
      copy(new Map(torn.map(({ path }) => [path, 1])), false);
      for (const { path, trace } of torn) marks.set(path, trace!.mark);
    }
  }

  /** A folder with own files in it is not copied as a whole. */
  const holdsOwn = (path: string): boolean => isWithin(path, folder);

  return {
    tree,
    get exists() {
      return existsSync(join(folder, "index"));
    },
    get since() {
      return statOf(stamp)?.ctimeNs ?? 0n;
    },
    copyOf: (path, mark) => (known().get(path)?.mark === mark ? placeOf(path) : undefined),
    refresh,
    changes,
    end(changed) {
      forget(changed);
      writeIndex(folder, root, known());
      rmSync(dirty, { force: true });
    },
    discard() {
      rmSync(folder, { recursive: true, force: true });
      index = undefined;
    },
  };
}
