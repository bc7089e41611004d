import { closeSync, constants, openSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, parent } from "@haft/core/tool";
import { hasOpenPaths } from "@haft/host/files";
import { toSystem } from "./raw-path.ts";

/** A folder on the way to a path was moved, or is a link now. */
export class ReplacedError extends Error {
  readonly code = "EREPLACED";
  constructor() {
    super("A parent folder is gone or has become a link.");
  }
}

/** A path that begins with an open descriptor: `/proc/self/fd/7/name`. */
const BY_DESCRIPTOR = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/s;

/**
 * Opens a path without following links, not even in the folders above it. Another program may exchange those at any
 * moment, so the opened file is compared with the named one.
 *
 * @throws ReplacedError when they differ.
 */
export function openExact(path: string, flags: number): number {
  if (!hasOpenPaths()) refuseLinkAbove(path);
  const descriptor = openSync(toSystem(path), flags | constants.O_NOFOLLOW);
  if (isOpenAt(descriptor, path)) return descriptor;
  closeSync(descriptor);
  throw new ReplacedError();
}

/** Whether an open descriptor is still the file at a path. `true` if the system cannot tell. */
export function isOpenAt(descriptor: number, path: string): boolean {
  if (!hasOpenPaths()) return true;
  const [, folder, rest = ""] = BY_DESCRIPTOR.exec(path) ?? [];
  const name = nameOf(`/proc/self/fd/${descriptor}`);
  if (folder === undefined) return name.equals(Buffer.from(toSystem(path)));
  return name.equals(Buffer.concat([nameOf(folder), Buffer.from(toSystem(rest))]));
}

const nameOf = (link: string): Buffer => readlinkSync(link, { encoding: "buffer" });

/** The weaker check for systems whose descriptors have no path. */
function refuseLinkAbove(path: string): void {
  const folder = parent(path);
  if (folder.isWellFormed() && realpathSync.native(folder) !== folder) throw new ReplacedError();
}

/** Opens a place, not its content, so it works for folders without read permission, too. Node has no name for this Linux flag. */
const O_PATH = process.platform === "linux" ? 0x20_00_00 : 0;

/** A folder that stays open. Names in it lead into it, even if its own name now leads elsewhere. */
export interface ExactFolder extends Disposable {
  readonly path: string;
  /** The mount that it is in: names can be moved within one. `undefined` if the system cannot tell. */
  readonly mount: string | undefined;
  /** The path of a name in it, for system calls. */
  at(name: string): string;
  /** Whether its own name still leads to it. */
  isInPlace(): boolean;
}

/** @throws ReplacedError when a folder on the way is a link. */
export function openExactFolder(path: string): ExactFolder {
  const descriptor = openFolderItself(path);
  const inside = hasOpenPaths() ? `/proc/self/fd/${descriptor}` : path === "/" ? "" : path;
  return {
    path,
    get mount() {
      return mountOf(descriptor);
    },
    at: (name) => `${inside}/${name}`,
    isInPlace: () => isOpenAt(descriptor, path),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** A bind mount has the device of its file system, but nothing can be moved out of it. */
function mountOf(descriptor: number): string | undefined {
  try {
    return /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

function openFolderItself(path: string): number {
  try {
    return openExact(path, constants.O_DIRECTORY | O_PATH);
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) throw new ReplacedError();
    throw thrown;
  }
}

/** Works on a path through the open folder that contains it. */
export function withExact<T>(path: string, work: (place: string) => T): T {
  using folder = openExactFolder(parent(path));
  return work(folder.at(basename(path)));
}

/** Opens the place of an entry that is not a link, whatever its permissions. `way` is its path for calls that would follow a link. */
export function openPlace(place: string): Disposable & { readonly descriptor: number; readonly way: string } {
  const descriptor = openSync(toSystem(place), O_PATH | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const way = hasOpenPaths() ? `/proc/self/fd/${descriptor}` : place;
  return { descriptor, way, [Symbol.dispose]: () => closeSync(descriptor) };
}
