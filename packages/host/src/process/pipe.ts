import { execFile } from "node:child_process";
import { close, closeSync, constants, open, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { collectLeftovers } from "./leftovers.ts";

// Bare descriptors: a file handle object would close a descriptor a second time at garbage collection.
const openFd = promisify(open);
const closeFd = promisify(close);

/** A pipe: this process reads one end, a program gets the other. */
export interface Pipe {
  readonly reader: Readable;
  /** The end for the program; close it here once the program has it. */
  readonly writeFd: number;
  closeWriter(): Promise<void>;
}

/**
 * Real pipes. Node itself hands a socket to a child, and then a script cannot open `/dev/stderr` or
 * `/dev/stdout`: `echo oops > /dev/stderr` fails. A named pipe that is unlinked at once works.
 */
export interface PipeStore {
  /** `undefined` if the system has no `mkfifo`. */
  take(count: number): Promise<Pipe[] | undefined>;
  /** Closes the unused pipes. */
  close(): void;
}

/** Pipes to create at a time: one call of `mkfifo` creates one or many. */
const BATCH = 32;

/** Pipes, created in advance if the system can reopen a descriptor. Creates nothing before the first request. */
export function createPipeStore(): PipeStore {
  const isReopened = process.platform === "linux";
  const ready: number[] = [];
  let making: Promise<void> | undefined;
  let isClosed = false;
  let isFirst = true;

  async function fill(): Promise<void> {
    if (isFirst) void collectLeftovers(tmpdir());
    isFirst = false;
    for (const fd of await makeNameless(BATCH)) {
      if (isClosed) void closeFd(fd);
      else ready.push(fd);
    }
  }
  function refill(): Promise<void> {
    making ??= fill().finally(() => {
      making = undefined;
    });
    return making;
  }

  return {
    async take(count) {
      if (process.platform === "win32" || isClosed) return undefined;
      try {
        if (!isReopened) return await makePipes(count);
        while (ready.length < count) await refill();
        const taken = ready.splice(0, count);
        if (ready.length < count) refill().catch(() => undefined);
        return taken.map(openAgain);
      } catch {
        return undefined;
      }
    },
    close() {
      isClosed = true;
      for (const fd of ready.splice(0)) void closeFd(fd);
    },
  };
}

/** Synchronous, since this cannot block: both ends are already open. */
function openAgain(fd: number): Pipe {
  const path = `/proc/self/fd/${fd}`;
  try {
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return pipeOf(readFd, openSync(path, constants.O_WRONLY));
  } finally {
    closeSync(fd);
  }
}

/** A few pipes at once, for occasional use. `undefined` if the system has no `mkfifo`. */
export async function createPipes(count: number): Promise<Pipe[] | undefined> {
  if (process.platform === "win32") return undefined;
  return makePipes(count).catch(() => undefined);
}

const makePipes = (count: number): Promise<Pipe[]> => withNames(count, (paths) => Promise.all(paths.map(openPipe)));

/** Unlinked pipes, each held open by one descriptor for both ends. */
const makeNameless = (count: number): Promise<number[]> =>
  withNames(count, (paths) => Promise.all(paths.map((path) => openFd(path, constants.O_RDWR | constants.O_NONBLOCK))));

async function withNames<T>(count: number, use: (paths: readonly string[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(`${tmpdir()}/haft-pipe-`);
  try {
    const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
    await promisify(execFile)("mkfifo", ["-m", "600", ...paths]);
    return await use(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openPipe(path: string): Promise<Pipe> {
  // Without O_NONBLOCK the reader would wait for a writer, and the writer for a reader.
  const readFd = await openFd(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = await openFd(path, constants.O_WRONLY);
  return pipeOf(readFd, writeFd);
}

function pipeOf(readFd: number, writeFd: number): Pipe {
  const reader = new Socket({ fd: readFd, readable: true, writable: false });
  return { reader, writeFd, closeWriter: () => closeFd(writeFd) };
}
