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
import { type Locate, locate, locateExactly, refuseReplaced } from "./locate.ts";

/** Up to this size content is read or written at once: sooner done than another thread could be asked. */
export const SMALL_BYTES = 512 * 1024;

/** A regular file that is open for reading, until the `using` block ends that holds it. */
export interface OpenFile extends Disposable {
  readonly descriptor: number;
  /** Bytes that it had when it was opened. */
  readonly size: number;
  /** All that it holds. */
  whole(signal?: AbortSignal): Promise<Buffer>;
}

/**
 * Opens a regular file for reading. The name is resolved first, then opened without following links and without
 * waiting, so that a file swapped for a link or a pipe in between is refused instead of followed. Only the first look
 * is left to another thread: a file system that hangs does so there, and what comes after it is in memory.
 */
export async function openFile(path: string, place: Locate = locate): Promise<OpenFile> {
  const location = await place(path);
  refuseOther(path, location.kind);
  // Of a missing file, opening says whether it is not there or a parent is a file.
  return worded(path, async () =>
    opened(location.path, path, (descriptor) => checkSame(descriptor, location.path, path)),
  );
}

/**
 * The file of a listing, which is where its name says or is refused. Names that are no text are listed with a sign for what
 * cannot be read: such a file is the only one of its folder that is shown so.
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

/** Opens what lies under the name itself, without following a link or waiting for a pipe. */
export const openItself = (path: string | Buffer): number =>
  openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

/** An open folder, and the way to what is in it: whoever swaps its name for a link meanwhile cannot redirect anything. */
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

/** Whether this system gives open files a path of their own: the same for the whole life of a process. */
export const hasOpenPaths = (): boolean => {
  openPaths ??= existsSync("/proc/self/fd/0") || existsSync("/proc/self/fd/1");
  return openPaths;
};
let openPaths: boolean | undefined;

/** A piece of an open file. */
export const readPiece = promisify(read);

/** Files of the system may say that they have no size and be long. */
const contentOf = async (descriptor: number, size: number, signal?: AbortSignal): Promise<Buffer> =>
  size <= SMALL_BYTES ? readFileSync(descriptor) : readInThread(descriptor, signal);

const readInThread = (descriptor: number, signal?: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    readFile(descriptor, { signal }, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });

/** Fails when what is open is not what its name was resolved to: somebody swapped a folder on the way. */
export function checkSame(descriptor: number, location: string, path: string): void {
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
  if (kind === "other")
    fail(
      "binary_file",
      `${path} is a device, pipe or socket, not a regular file.`,
      "Name a regular file. Bash can talk to devices and pipes, with a time limit.",
    );
}
