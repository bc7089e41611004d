import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hasOpenPaths } from "@haft/host/files";
import { openExact } from "./exact.ts";
import { toSystem } from "./raw-path.ts";

/** Bytes that are checked together: all zeros are a hole. */
const PIECE = 1 << 18;
const ZEROS = Buffer.alloc(PIECE);

/** Copies a file to a new one, or with `over` into an existing one. Holes stay holes. */
export function copyFile(source: string, target: string, over: boolean): void {
  const from = openExact(source, constants.O_RDONLY);
  const place = hasOpenPaths() ? `/proc/self/fd/${from}` : toSystem(source);
  try {
    const { size, blocks } = fstatSync(from);
    if (blocks * 512 >= size)
      copyFileSync(place, toSystem(target), constants.COPYFILE_FICLONE | (over ? 0 : constants.COPYFILE_EXCL));
    else copySparsely(from, size, toSystem(target), over);
  } finally {
    closeSync(from);
  }
}

/** Writes bytes to a new file, or with `over` into an existing one. Pieces of zeros become holes if it `hasHoles`. */
export function writeSparsely(target: string | Buffer, bytes: Buffer, hasHoles: boolean, over: boolean): void {
  const flag = over ? "w" : "wx";
  if (!hasHoles) {
    writeFileSync(target, bytes, { flag });
    return;
  }
  const to = openSync(target, flag);
  try {
    for (let at = 0; at < bytes.length; at += HOLE) {
      const piece = bytes.subarray(at, at + HOLE);
      const isHole = ZEROS.compare(piece, 0, piece.length, 0, piece.length) === 0;
      for (let done = 0; !isHole && done < piece.length; )
        done += writeSync(to, piece, done, piece.length - done, at + done);
    }
    ftruncateSync(to, bytes.length);
  } finally {
    closeSync(to);
  }
}

/** The size of a block of most file systems. */
const HOLE = 4096;

function copySparsely(from: number, size: number, target: string | Buffer, over: boolean): void {
  const to = openSync(target, over ? "w" : "wx");
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    let at = 0;
    for (let length = 1; length > 0; at += length) {
      length = readSync(from, piece, 0, PIECE, at);
      const isHole = ZEROS.compare(piece, 0, length, 0, length) === 0;
      for (let done = 0; !isHole && done < length; ) done += writeSync(to, piece, done, length - done, at + done);
    }
    ftruncateSync(to, Math.max(at, size));
  } finally {
    closeSync(to);
  }
}
