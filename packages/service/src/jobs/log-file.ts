import { createReadStream, createWriteStream, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/** The first bytes of an output in a private file. A full file or a disk error ends the log, not the job. */
export interface LogFile {
  readonly path: string;
  /** Bytes written or queued. */
  readonly bytes: number;
  /** Adds what still fits. Returns `false` when too much is queued: wait for `whenFree`. */
  add(chunk: Buffer): boolean;
  whenFree(then: () => void): void;
  /** Its bytes from an offset on. */
  read(from: number, to?: number): AsyncIterable<Buffer>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
  remove(): void;
}

/** Opens a new file. Throws when it exists, or when the folder cannot be created. */
export function openLogFile(path: string, maxBytes: number): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stream = createWriteStream(path, { fd: openSync(path, "wx", 0o600), autoClose: true });
  let bytes = 0;
  let full = maxBytes;
  // Everything from here on is missing: the file ends at the first failed write.
  stream.on("error", () => {
    full = Math.min(full, stream.bytesWritten);
    bytes = Math.min(bytes, full);
  });
  return {
    path,
    get bytes() {
      return bytes;
    },
    add(chunk) {
      const taken = chunk.subarray(0, Math.max(0, full - bytes));
      if (taken.length === 0 || stream.errored || stream.writableEnded) return true;
      bytes += taken.length;
      return stream.write(taken);
    },
    whenFree(then) {
      const free = () => {
        stream.off("drain", free).off("error", free);
        then();
      };
      stream.on("drain", free).on("error", free);
    },
    read: (from, to = bytes) => createReadStream(path, { start: from, end: Math.max(from, to - 1) }),
    close: () => new Promise((resolve) => (stream.closed ? resolve() : stream.once("close", resolve).end())),
    remove: () => rmSync(path, { force: true }),
  };
}
