import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { refuseArchive } from "./refuse.ts";
import { safePath } from "./unpack-tar.ts";

/** Limits of an archive: entries, and bytes once it is unpacked. */
const MOST_ENTRIES = 10_000;
const MOST_BYTES = 100_000_000;

const END = 0x06054b50;
const LISTED = 0x02014b50;
const LOCAL = 0x04034b50;
/** The end record, and the longest comment that may follow it. */
const END_BYTES = 22;
const COMMENT_BYTES = 0xffff;

/** Bits of `flags`: encrypted contents. */
const ENCRYPTED = 0x1 | 0x40;
/** Kinds of files in the upper half of a Unix mode. */
const KIND = 0o170000;
const [FOLDER, FILE] = [0o040000, 0o100000];

interface Entry {
  readonly path: string;
  readonly isProgram: boolean;
  readonly content: Uint8Array;
}

/** Whether these bytes begin as a zip archive does. */
export const isZip = (archive: Uint8Array): boolean => archive[0] === 0x50 && archive[1] === 0x4b;

/**
 * Unpacks a zip archive into an empty folder. Only files and folders: a link, an encrypted file, two files of one name, or
 * a name that leads out of the folder is refused, and then nothing was written.
 *
 * @throws HaftError `validation_failed` for an archive that cannot be used.
 */
export function unpackZip(archive: Uint8Array, folder: string): void {
  const files = entriesOf(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength));
  for (const { path, content, isProgram } of files) {
    const place = join(folder, path);
    try {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      writeFileSync(place, content, { mode: isProgram ? 0o700 : 0o600, flag: "wx" });
    } catch (thrown) {
      // A file in the place of a folder, a name that is too long.
      refuseArchive(`${JSON.stringify(path)} in it cannot be written (${(thrown as NodeJS.ErrnoException).code})`);
    }
  }
}

function entriesOf(data: Buffer): readonly Entry[] {
  const end = endOf(data);
  const count = data.readUInt16LE(end + 10);
  let at = data.readUInt32LE(end + 16);
  if (count > MOST_ENTRIES || count === 0xffff) refuseArchive(`it has more than ${MOST_ENTRIES} entries`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || data.readUInt32LE(at) !== LISTED) refuseArchive("its list of files is damaged");
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => data.readUInt16LE(at + field));
    const name = data.toString("utf8", at + 46, at + 46 + nameLength!);
    const mode = data.readUInt32LE(at + 38) >>> 16;
    const kind = mode & KIND;
    const path = safePath(name.replace(/\/$/, "") || name);
    if (kind !== 0 && kind !== FILE && kind !== FOLDER)
      refuseArchive(`${JSON.stringify(path)} in it is a link or a device`);
    if (!name.endsWith("/") && kind !== FOLDER) {
      // On file systems without case both would be one file.
      const key = path.toLowerCase();
      if (names.has(key)) refuseArchive(`${JSON.stringify(path)} is in it twice`);
      names.add(key);
      const content = contentOf(data, at, path, MOST_BYTES - total);
      total += content.length;
      entries.push({ path, content, isProgram: (mode & 0o100) !== 0 });
    }
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return entries;
}

/** The place of the end record: it comes last, before a comment that nobody needs. */
function endOf(data: Buffer): number {
  const first = Math.max(0, data.length - END_BYTES - COMMENT_BYTES);
  for (let at = data.length - END_BYTES; at >= first; at -= 1)
    if (data.readUInt32LE(at) === END && at + END_BYTES + data.readUInt16LE(at + 20) <= data.length) return at;
  return refuseArchive("it is cut off or damaged");
}

/** The contents of a listed file: its own header only tells where they begin. */
function contentOf(data: Buffer, listed: number, path: string, left: number): Uint8Array {
  const [flags, method] = [data.readUInt16LE(listed + 8), data.readUInt16LE(listed + 10)];
  const [sum, packed, size, header] = [16, 20, 24, 42].map((field) => data.readUInt32LE(listed + field)) as [
    number,
    number,
    number,
    number,
  ];
  const what = JSON.stringify(path);
  if ((flags & ENCRYPTED) !== 0) refuseArchive(`${what} in it is encrypted`);
  if (size > left) refuseArchive(`it holds more than ${MOST_BYTES} bytes`);
  if (header + 30 > data.length || data.readUInt32LE(header) !== LOCAL) refuseArchive("it is cut off or damaged");
  const from = header + 30 + data.readUInt16LE(header + 26) + data.readUInt16LE(header + 28);
  if (from + packed > data.length) refuseArchive("it is cut off or damaged");
  const content = unpacked(data.subarray(from, from + packed), method, size, what);
  if (content.length !== size || crc32(content) !== sum) refuseArchive(`${what} in it is damaged`);
  return content;
}

function unpacked(bytes: Uint8Array, method: number, size: number, what: string): Uint8Array {
  if (method === 0) return bytes;
  if (method !== 8) return refuseArchive(`${what} in it is packed by method ${method}, which is not supported`);
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) });
  } catch (thrown) {
    return refuseArchive(`${what} in it cannot be decompressed (${(thrown as Error).message})`);
  }
}
