import { isUtf8 } from "node:buffer";

/**
 * File names are bytes, not always UTF-8. Inside the journal, a path is a string. Each byte that is not text is a
 * lone surrogate in it (U+DC00 + byte). It survives JSON and converts back to the same byte.
 */
export function fromBytes(name: Buffer): string {
  if (isUtf8(name)) return name.toString("utf8");
  return [...name].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
}

/** The path for system calls. */
export function toSystem(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  const parts = [...path].map((character) => {
    const code = character.charCodeAt(0);
    const isByte = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    return isByte ? Buffer.from([code - 0xdc00]) : Buffer.from(character, "utf8");
  });
  return Buffer.concat(parts);
}

/** The path in a form for people, on one line. */
export const readable = (path: string): string => path.toWellFormed().replaceAll("\n", "␊").replaceAll("\r", "␍");
