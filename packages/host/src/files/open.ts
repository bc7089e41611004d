import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  read,
  readdirSync,
  readFile,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { promisify } from "node:util";
import { basename, fail, parent } from "@haft/core/tool";
import { worded } from "./fault.ts";
import { type Locate, locate, locateExactly, refuseCycle, refuseReplaced } from "./locate.ts";

/** Content up to this size is read or written synchronously: faster than a call to another thread. */
export const SMALL_BYTES = 512 * 1024;

/** A regular file that is open for reading until its `using` block ends. */
export interface OpenFile extends Disposable {
  readonly descriptor: number;
  /** Its size in bytes when it was opened. */
  readonly size: number;
  /** Its whole content. */
  whole(signal?: AbortSignal): Promise<Buffer>;
}

/**
 * Opens a regular file for reading. Resolves the name first, then opens it without following links and without
 * blocking, so that a file swapped for a link or a pipe in between is refused. Only the first check
 * runs in another thread: a file system that hangs does so there, and later calls are served from memory.
 */
export async function openFile(path: string, place: Locate = locate): Promise<OpenFile> {
  const location = await place(path);
  refuseOther(path, location.kind);
  // For a missing file, the error of opening tells whether it is missing or a parent is a file.
  return worded(path, async () =>
    opened(location.path, path, (descriptor) => checkSame(descriptor, location.path, path)),
  );
}

/**
 * Opens a file from a listing. Refuses it if its name now leads elsewhere. Listings show bytes that are not text by a
 * replacement character: such a file must be the only one of its folder with that listed name.
 */
export async function openListed(path: string): Promise<OpenFile> {
  if (!basename(path).includes("\ufffd")) return openFile(path, locateExactly);
  const { path: above } = await locateExactly(parent(path));
  return worded(path, async () => {
    using folder = openFolder(above, path);
    const names = readdirSync(folder.inside, { encoding: "buffer" });
    const [name, ...others] = names.filter((one) => one.toString("utf8") === basename(path));
    if (!name || others.length > 0) return refuseReplaced(path);
    return opened(Buffer.concat([Buffer.from(`${folder.inside}/`), name]), path);
  });
}

function opened(place: string | Buffer, path: string, check?: (descriptor: number) => void): OpenFile {
  const descriptor = openItself(place);
  try {
    const now = fstatSync(descriptor);
    refuseOther(path, now.isFile() ? "file" : now.isDirectory() ? "directory" : "other");
    check?.(descriptor);
    return {
      descriptor,
      size: now.size,
      whole: (signal) => contentOf(descriptor, now.size, signal),
      [Symbol.dispose]: () => closeSync(descriptor),
    };
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** Opens the name itself, without following a link or waiting for a pipe. */
export const openItself = (path: string | Buffer): number =>
  openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

/** An open folder, and the path to its content: swapping its name for a link meanwhile cannot redirect anything. */
export function openFolder(location: string, path = location): Disposable & { readonly inside: string } {
  const descriptor = openSync(location, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    checkSame(descriptor, location, path);
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
  const inside = hasOpenPaths() ? `/proc/self/fd/${descriptor}` : location;
  return { inside, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Whether this system has paths for open descriptors: the answer does not change during a process. */
export const hasOpenPaths = (): boolean => {
  openPaths ??= existsSync("/proc/self/fd/0") || existsSync("/proc/self/fd/1");
  return openPaths;
};
let openPaths: boolean | undefined;

/** Reads a piece of an open file. */
export const readPiece = promisify(read);

/** System files may report size 0 and still be long. */
const contentOf = async (descriptor: number, size: number, signal?: AbortSignal): Promise<Buffer> =>
  size <= SMALL_BYTES ? readFileSync(descriptor) : readInThread(descriptor, signal);

const readInThread = (descriptor: number, signal?: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    readFile(descriptor, { signal }, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });

/** Fails if the open file is not the resolved one: a folder on the way was swapped. */
function checkSame(descriptor: number, location: string, path: string): void {
  const opened = openedAs(descriptor);
  if (opened === undefined || opened === location) return;
  refuseReplaced(path);
}

function openedAs(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

function refuseOther(path: string, kind: "file" | "directory" | "other" | "missing"): void {
  if (kind === "directory")
    fail("is_directory", `${path} is a folder, not a file.`, "Ls lists what is in it; Glob finds files below it.");
  if (kind !== "other") return;
  refuseCycle(path);
  fail(
    "binary_file",
    `${path} is a device, pipe or socket, not a regular file.`,
    "Name a regular file. Bash can talk to devices and pipes, with a time limit.",
  );
}
