import { isUtf8 } from "node:buffer";

const FIXED = { sha1: 62, sha256: 74 } as const;
const MODE_AT = 24;
const GITLINK = 0o160000;
const EXTENDED = 0x4000;
/** The mask of the name length, and the value for longer names, whose length is not stored. */
const LENGTH = 0xfff;

/**
 * The paths in a git index that are nested repositories (submodules, or added folders with a `.git`). Git enters them even
 * while it only reads, and then their configuration applies. `undefined`: the index cannot be parsed.
 */
export const nestedRepositories = (index: Buffer, format: keyof typeof FIXED): readonly string[] | undefined =>
  pathsIn(index, format, "repositories");

/** All paths in a git index. `undefined`: it cannot be parsed. */
export const trackedPaths = (index: Buffer, format: keyof typeof FIXED): readonly string[] | undefined =>
  pathsIn(index, format, "all");

function pathsIn(
  index: Buffer,
  format: keyof typeof FIXED,
  which: "repositories" | "all",
): readonly string[] | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const found: string[] = [];
  let at = 12;
  let name = "";
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const fixed = FIXED[format];
    if (at + fixed > index.length) return undefined;
    const flags = index.readUInt16BE(at + fixed - 2);
    let from = at + fixed + (flags & EXTENDED ? 2 : 0);
    let kept = "";
    if (version === 4) {
      const cut = readOffset(index, from);
      from = cut.next;
      kept = name.slice(0, name.length - cut.value);
    }
    const end = index.indexOf(0, from);
    if (end < 0) return undefined;
    const length = flags & LENGTH;
    // Git uses the stored length if there is one.
    if (length !== LENGTH && length !== kept.length + end - from) return undefined;
    const isLink = index.readUInt32BE(at + MODE_AT) === GITLINK;
    const isWanted = isLink || which === "all";
    // Only version 4 needs every name: it stores each as a difference from the one before.
    if (version === 4 || isWanted) name = kept + index.toString("latin1", from, end);
    if (isWanted) {
      const bytes = Buffer.from(name, "latin1");
      if (isLink && !isUtf8(bytes)) return undefined;
      found.push(bytes.toString("utf8"));
    }
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  // A split index keeps its entries in another file.
  return index.includes("link", at, "latin1") ? undefined : found;
}

/** Git's variable-length number. */
function readOffset(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = index[at++] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}
