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

/** Bytes of each read. */
const PIECE = 1 << 18;

/** Copies a file to a new one, or with `over` into an existing one, which keeps its mode and owner. Holes stay holes. */
export function copyFile(source: string, target: string, over: boolean): void {
  const from = openExact(source, constants.O_RDONLY);
  const place = hasOpenPaths() ? `/proc/self/fd/${from}` : toSystem(source);
  try {
    const { size, blocks } = fstatSync(from);
    const hasHoles = blocks * 512 < size;
    if (over || hasHoles) copyInto(from, { size, hasHoles }, toSystem(target), over ? "w" : "wx");
    else copyFileSync(place, toSystem(target), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
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
    writePiece(to, bytes, 0, true);
    ftruncateSync(to, bytes.length);
  } finally {
    closeSync(to);
  }
}

/** The size of a block of most file systems: if it is all zeros, it is a hole. */
const HOLE = 4096;
const ZEROS = Buffer.alloc(HOLE);

/** Writes bytes to a place of a file. With `hasHoles`, blocks of zeros are left out. */
function writePiece(to: number, bytes: Buffer, at: number, hasHoles: boolean): void {
  const isHole = (from: number): boolean => {
    const length = Math.min(HOLE, bytes.length - from);
    return hasHoles && ZEROS.compare(bytes, from, from + length, 0, length) === 0;
  };
  for (let from = 0; from < bytes.length; ) {
    let end = from;
    while (end < bytes.length && !isHole(end)) end = Math.min(end + HOLE, bytes.length);
    for (let done = from; done < end; ) done += writeSync(to, bytes, done, end - done, at + done);
    from = Math.max(end, from + HOLE);
  }
}

interface Form {
  readonly size: number;
  readonly hasHoles: boolean;
}

function copyInto(from: number, { size, hasHoles }: Form, target: string | Buffer, flag: "w" | "wx"): void {
  const to = openSync(target, flag);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    let at = 0;
    for (let length = 1; length > 0; at += length) {
      length = readSync(from, piece, 0, PIECE, at);
      writePiece(to, piece.subarray(0, length), at, hasHoles);
    }
    ftruncateSync(to, Math.max(at, size));
  } finally {
    closeSync(to);
  }
}
