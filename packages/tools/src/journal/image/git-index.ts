import { createHash } from "node:crypto";

/** Bytes of an entry before its object name: ten numbers of 32 bits, of which only the mode says what is staged. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const NAME_LENGTH = 20;
const EXTENDED = 0x4000;

/** Whether a path is the index of a repository or of one of its worktrees and modules. */
export const isGitIndex = (path: string): boolean => /\/\.git\/(?:(?:modules|worktrees)\/.+\/)?index$/.test(path);

/**
 * A digest of what an index stages. Programs that only look (`git status`, editors) write the index anew with fresh
 * stats of the files; that is no change worth refusing an undo for. `undefined` for a format that is not known: index
 * versions 2 to 4 with SHA-1 names are (gitformat-index(5)).
 */
export function stagedPrint(bytes: Buffer): string | undefined {
  if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  try {
    return readEntries(bytes, version, bytes.readUInt32BE(8));
  } catch {
    return undefined;
  }
}

function readEntries(bytes: Buffer, version: number, count: number): string | undefined {
  const hash = createHash("sha256");
  let at = 12;
  let name = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    const start = at;
    hash.update(bytes.subarray(start + MODE_AT, start + MODE_AT + 4));
    at += STAT_BYTES;
    const flags = bytes.readUInt16BE(at + NAME_LENGTH);
    // The object, then flags: assume-valid, extended, stage; the low bits only repeat the name's length.
    hash.update(bytes.subarray(at, at + NAME_LENGTH)).update(`${flags >> 12}`);
    at += NAME_LENGTH + 2;
    if (version > 2 && (flags & EXTENDED) !== 0) {
      hash.update(bytes.subarray(at, at + 2));
      at += 2;
    }
    const dropped = version === 4 ? readOffset(bytes, at) : { value: name.length, next: at };
    const end = bytes.indexOf(0, dropped.next);
    if (end === -1) return undefined;
    name = Buffer.concat([name.subarray(0, name.length - dropped.value), bytes.subarray(dropped.next, end)]);
    hash.update(name).update("\0");
    // Up to version 3 entries are padded with 1 to 8 zeros to a multiple of eight bytes.
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8;
  }
  return at <= bytes.length - NAME_LENGTH ? hash.digest("hex") : undefined;
}

/** A number of seven bits a byte, as in pack files' offsets. */
function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}
