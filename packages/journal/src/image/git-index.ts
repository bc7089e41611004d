import { createHash } from "node:crypto";

/** Bytes of an entry before its object name: ten 32-bit numbers. Only the mode among them is part of the staged state. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const NAME_LENGTH = 20;
const EXTENDED = 0x4000;

/** Whether a path is the index of a repository or of one of its worktrees and modules. */
export const isGitIndex = (path: string): boolean => /\/\.git\/(?:(?:modules|worktrees)\/.+\/)?index$/.test(path);

/**
 * A digest of the staged state of an index. Programs that only read (`git status`, editors) rewrite the index with
 * fresh stats of the files; an undo should not be refused for that. `undefined` for an unknown format. Known are
 * index versions 2 to 4 with SHA-1 names (gitformat-index(5)).
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
    // The object, then flags: assume-valid, extended, stage. The low bits only repeat the length of the name.
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

/** A number with seven bits in each byte, as in offsets of pack files. */
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
