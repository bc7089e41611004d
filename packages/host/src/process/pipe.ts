import { execFile } from "node:child_process";
import { close, closeSync, constants, open, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { collectLeftovers } from "./leftovers.ts";
import type { Starter } from "./start/starter.ts";

// Bare descriptors: a file handle object would close a descriptor a second time at garbage collection.
const openFd = promisify(open);
const closeFd = promisify(close);

/** A pipe between this process and a program, by the direction that the program uses it in. */
export interface Pipe {
  /** The end of this process. */
  readonly stream: Socket;
  /** The end for the program; close it here once the program has it. */
  readonly fd: number;
  closeFd(): void;
}

type Direction = "in" | "out";

/**
 * Real pipes. Node itself hands a socket to a child, and then a script cannot open `/dev/stderr` or
 * `/dev/stdout`: `echo oops > /dev/stderr` fails. A named pipe that is unlinked at once works.
 */
export interface PipeStore {
  /** `undefined` if the system has no `mkfifo`. */
  take(directions: readonly Direction[]): Promise<Pipe[] | undefined>;
  /** Closes the unused pipes. */
  close(): void;
}

/** Pipes to create at a time: one call of `mkfifo` creates one or many. */
const BATCH = 32;

/** Pipes, created in advance if the system can reopen a descriptor. Creates nothing before the first request. */
export function createPipeStore(starter?: Starter): PipeStore {
  const isReopened = process.platform === "linux";
  const ready: number[] = [];
  let making: Promise<void> | undefined;
  let isClosed = false;
  let isFirst = true;

  async function fill(): Promise<void> {
    if (isFirst) void collectLeftovers(tmpdir());
    isFirst = false;
    for (const fd of await makeNameless(BATCH, starter)) {
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
    async take(directions) {
      if (process.platform === "win32" || isClosed) return undefined;
      try {
        const count = directions.length;
        if (!isReopened) return await makePipes(directions);
        while (ready.length < count) await refill();
        const taken = ready.splice(0, count);
        if (ready.length < count) refill().catch(() => undefined);
        return taken.map((fd, index) => openAgain(fd, directions[index]!));
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
function openAgain(fd: number, direction: Direction): Pipe {
  try {
    return openEnds(`/proc/self/fd/${fd}`, direction);
  } finally {
    closeSync(fd);
  }
}

/** A few pipes for output at once, for occasional use. `undefined` if the system has no `mkfifo`. */
export async function createPipes(count: number): Promise<Pipe[] | undefined> {
  if (process.platform === "win32") return undefined;
  return makePipes(Array.from({ length: count }, () => "out" as const)).catch(() => undefined);
}

const makePipes = (directions: readonly Direction[]): Promise<Pipe[]> =>
  withNames(directions.length, async (paths) =>
    Promise.all(
      paths.map(async (path, index) => {
        const both = await openFd(path, BOTH);
        try {
          return openEnds(path, directions[index]!);
        } finally {
          closeSync(both);
        }
      }),
    ),
  );

/** Unlinked pipes, each held open by one descriptor for both ends. */
const makeNameless = (count: number, starter?: Starter): Promise<number[]> =>
  withNames(count, (paths) => Promise.all(paths.map((path) => openFd(path, BOTH))), starter);

/** Without O_NONBLOCK a reader would wait for a writer, and a writer for a reader. */
const BOTH = constants.O_RDWR | constants.O_NONBLOCK;

const SILENT = ["ignore", "ignore", "ignore"] as const;

async function withNames<T>(
  count: number,
  use: (paths: readonly string[]) => Promise<T>,
  starter?: Starter,
): Promise<T> {
  const folder = await mkdtemp(`${tmpdir()}/haft-pipe-`);
  try {
    const paths = Array.from({ length: count }, (_, index) => `${folder}/${index}`);
    const args = ["-m", "600", ...paths];
    const started = await starter?.start({ argv: ["mkfifo", ...args], cwd: folder, env: {}, stdio: SILENT });
    if ((await started?.ended)?.code !== 0) await promisify(execFile)("mkfifo", args);
    return await use(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The ends of a pipe that is held open. Programs expect their ends to block. */
function openEnds(path: string, direction: Direction): Pipe {
  const [ours, theirs] =
    direction === "out" ? [constants.O_RDONLY, constants.O_WRONLY] : [constants.O_WRONLY, constants.O_RDONLY];
  const fd = openSync(path, ours | constants.O_NONBLOCK);
  const stream = new Socket({ fd, readable: direction === "out", writable: direction === "in" });
  const other = openSync(path, theirs);
  return { stream, fd: other, closeFd: () => closeSync(other) };
}
