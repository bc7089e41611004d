import { closeSync, constants, fstatSync, openSync, read, readFile, readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";
import { fail } from "@haft/core/tool";
import { worded } from "./fault.ts";
import { locate } from "./locate.ts";

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
export async function openFile(path: string): Promise<OpenFile> {
  const location = await locate(path);
  refuseOther(path, location.kind);
  return worded(path, async () => {
    // Of a missing file, opening says whether it is not there or a parent is a file.
    const descriptor = openSync(location.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const now = fstatSync(descriptor);
      refuseOther(path, now.isFile() ? "file" : now.isDirectory() ? "directory" : "other");
      checkSame(descriptor, location.path, path);
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
  });
}

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
  fail("conflict", `${path} was moved or replaced while it was being opened.`, "Try again.");
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
