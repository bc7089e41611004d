import { basename, parent } from "@haft/core/tool";
import { type ExactFolder, openExactFolder } from "../image/exact.ts";

/** The place of a path, reached through the open folder above it. */
export interface Place {
  /** The path itself, for system calls. It leads into the open folder, even if the folder's name now leads elsewhere. */
  readonly own: string;
  /** Another name in the same folder. */
  beside(name: string): string;
  /** A temporary name for a new entry: in the staging folder, or beside. */
  fresh(name: string): string;
}

/** The folders of changed entries, each opened without following a link. */
export interface Folders extends Disposable {
  /** @throws ReplacedError when a folder above it is gone or is a link now. */
  place(path: string): Place;
}

/** Most folders that are open at once. */
const OPEN = 64;

/** Opens a folder when an entry in it is changed. Closes the least recently used one to make room. */
export function openFolders(staging?: string): Folders {
  const mount = staging === undefined ? undefined : mountOf(staging);
  const open = new Map<string, ExactFolder>();
  const near = new WeakMap<ExactFolder, boolean>();
  function isNear(folder: ExactFolder): boolean {
    if (!near.has(folder)) near.set(folder, mount !== undefined && folder.mount === mount);
    return near.get(folder) === true;
  }
  function folderAt(path: string): ExactFolder {
    const known = open.get(path);
    open.delete(path);
    if (known?.isInPlace()) {
      open.set(path, known);
      return known;
    }
    known?.[Symbol.dispose]();
    const [oldest] = open;
    if (oldest && open.size >= OPEN) {
      open.delete(oldest[0]);
      oldest[1][Symbol.dispose]();
    }
    const folder = openExactFolder(path);
    open.set(path, folder);
    return folder;
  }
  return {
    place(path) {
      const folder = folderAt(parent(path));
      const fresh = (name: string): string => (isNear(folder) ? `${staging}/${name}` : folder.at(name));
      return { own: folder.at(basename(path)), beside: folder.at, fresh };
    },
    [Symbol.dispose]() {
      for (const folder of open.values()) folder[Symbol.dispose]();
      open.clear();
    },
  };
}

function mountOf(path: string): string | undefined {
  try {
    using folder = openExactFolder(path);
    return folder.mount;
  } catch {
    // Somebody removed it, or a folder above it is a link: new entries are made beside their place.
    return undefined;
  }
}
