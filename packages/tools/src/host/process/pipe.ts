import { execFile } from "node:child_process";
import { close, constants, open } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

const run = promisify(execFile);
// Bare descriptors: a file handle object would close a descriptor a second time when it is collected.
const openFd = promisify(open);
const closeFd = promisify(close);

/** A pipe whose one end is read here and whose other end a program gets. */
export interface Pipe {
  readonly reader: Readable;
  /** The end for the program; close it here once the program has it. */
  readonly writeFd: number;
  closeWriter(): Promise<void>;
}

/**
 * Makes real pipes. What Node itself hands to a child is a socket, and then a script cannot open `/dev/stderr` or
 * `/dev/stdout`: `echo oops > /dev/stderr` fails. A named pipe that loses its name at once has no such flaw.
 * `undefined` where the system has no `mkfifo`.
 */
export async function createPipes(count: number): Promise<Pipe[] | undefined> {
  if (process.platform === "win32") return undefined;
  const folder = await mkdtemp(`${tmpdir()}/haft-pipe-`);
  try {
    const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
    await run("mkfifo", ["-m", "600", ...paths]);
    return await Promise.all(paths.map(openPipe));
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openPipe(path: string): Promise<Pipe> {
  // Without O_NONBLOCK the reader would wait for a writer, and the writer for a reader.
  const readFd = await openFd(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = await openFd(path, constants.O_WRONLY);
  const reader = new Socket({ fd: readFd, readable: true, writable: false });
  return { reader, writeFd, closeWriter: () => closeFd(writeFd) };
}
