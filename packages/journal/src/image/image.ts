import { createHash, hash as hashAll } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { Attributes } from "@haft/host/files";
import { openExact, ReplacedError, withExact } from "./exact.ts";
import { isGitIndex, stagedPrint } from "./git-index.ts";
import { fromBytes, toSystem } from "./raw-path.ts";
import { printOf } from "./tree.ts";

/** The state of a path, as far as undo restores it: type, content, mode, link target, attributes. */
export type Image =
  | { readonly type: "none" }
  | {
      readonly type: "file";
      /** SHA-256 of the content, hex. */
      readonly hash: string;
      readonly size: number;
      /** Permission bits; absent if they were not known yet. */
      readonly mode?: number;
      readonly owner?: Owner;
      /** Absent: it has none, or they are not known. */
      readonly attributes?: Attributes;
      /** Not all of its bytes are on disk: the rest are holes. */
      readonly holes?: true;
      /** Path of the kept file itself, if it is too big to be kept as content. */
      readonly kept?: string;
      /** The path of another hard link to the same file. */
      readonly linkOf?: string;
      /** For a repository's index: a digest of its staged state only. */
      readonly staged?: string;
    }
  | { readonly type: "folder"; readonly mode: number; readonly owner?: Owner; readonly attributes?: Attributes }
  | { readonly type: "link"; readonly target: string; readonly owner?: Owner }
  | { readonly type: "pipe"; readonly mode: number }
  | {
      /** A whole folder that is kept and moved as one. */
      readonly type: "tree";
      /** Changes when anything inside changes. */
      readonly print: string;
      readonly entries: number;
      /** Path of the kept folder. */
      readonly kept?: string;
    }
  | { readonly type: "other"; readonly what: "socket" | "device" }
  /** The path had content that could not be kept. */
  | { readonly type: "lost"; readonly why: string };

/** User and group, if they differ from those of this process. */
export type Owner = readonly [uid: number, gid: number];

/** Whether a file belongs to somebody else, so that only a write in place keeps its owner: this process is not root. */
export const isForeign = (found: BigIntStats | undefined): boolean =>
  found?.isFile() === true && process.geteuid?.() !== 0 && Number(found.uid) !== process.geteuid?.();

export const NONE: Image = { type: "none" };

/** Bytes of each read. */
const CHUNK = 1 << 20;

/** The current state of a path. A folder is read without its content. */
export function lookAt(path: string): Image {
  const found = statOf(path);
  return found ? imageOf(path, found) : NONE;
}

/** The image for a stat, with the content's hash for a file; `hash` if it is already known. */
export function imageOf(path: string, found: BigIntStats, hash?: string): Image {
  if (found.isFile()) return fileImage(path, found, hash ?? hashFile(path));
  if (found.isDirectory()) return { type: "folder", ...rightsOf(found) };
  if (found.isSymbolicLink()) return { type: "link", target: linkTarget(path), ...ownerOf(found) };
  if (found.isFIFO()) return { type: "pipe", mode: modeOf(found) };
  return { type: "other", what: found.isSocket() ? "socket" : "device" };
}

function fileImage(path: string, found: BigIntStats, hash: string): Image {
  const staged = isGitIndex(path) ? stagedPrint(readWhole(path).bytes) : undefined;
  const print = staged === undefined ? {} : { staged };
  const holes = found.blocks * 512n < found.size && found.size >= HOLE_BYTES ? { holes: true as const } : {};
  return { type: "file", hash, size: Number(found.size), ...rightsOf(found), ...print, ...holes };
}

/** Smaller files have no holes worth keeping; some file systems keep them beside their name, in no block. */
const HOLE_BYTES = 65_536n;

/** Whether a path still has the image's state. An unknown mode is not compared. */
export function holds(path: string, image: Image): boolean {
  try {
    if (image.type === "tree") return statOf(path)?.isDirectory() === true && printOf(path).print === image.print;
    return same(lookAt(path), image);
  } catch (thrown) {
    if (thrown instanceof ReplacedError) return false;
    throw thrown;
  }
}

/** Whether two images are equal, apart from owners. */
export function same(a: Image, b: Image): boolean {
  if (a.type !== b.type) return false;
  if (a.type === "file" && b.type === "file") return sameContent(a, b) && sameMode(a.mode, b.mode);
  if (a.type === "link" && b.type === "link") return a.target === b.target;
  if (a.type === "tree" && b.type === "tree") return a.print === b.print;
  if ((a.type === "folder" && b.type === "folder") || (a.type === "pipe" && b.type === "pipe"))
    return a.mode === b.mode;
  return a.type === "none";
}

/** Whether two images are also equal in owner and attributes, as far as both know them. */
export const equal = (a: Image, b: Image): boolean =>
  same(a, b) && detailsOf(a, b).every(([one, other]) => JSON.stringify(one) === JSON.stringify(other));

function detailsOf(a: Image, b: Image): readonly (readonly [unknown, unknown])[] {
  const [one, other] = [detailsIn(a), detailsIn(b)];
  if (!one || !other) return [];
  const attributes = one.attributes && other.attributes ? [[one.attributes, other.attributes] as const] : [];
  // Without root, nobody can give a file away.
  return process.geteuid?.() === 0 ? [[one.owner, other.owner], ...attributes] : attributes;
}

function detailsIn(image: Image): { readonly owner?: Owner; readonly attributes?: Attributes } | undefined {
  if (image.type === "link") return image;
  return (image.type === "file" || image.type === "folder") && image.mode !== undefined ? image : undefined;
}

/** Whether a change keeps the content of a file and gives it another mode, owner or attributes. It stays the same file. */
export const isDetail = ({ before, after }: { readonly before: Image; readonly after: Image }): boolean =>
  before.type === "file" &&
  after.type === "file" &&
  before.hash === after.hash &&
  before.linkOf === after.linkOf &&
  after.mode !== undefined;

type FileImage = Extract<Image, { type: "file" }>;

const sameContent = (a: FileImage, b: FileImage): boolean =>
  a.hash === b.hash || (a.staged !== undefined && a.staged === b.staged);

const sameMode = (a: number | undefined, b: number | undefined): boolean =>
  a === undefined || b === undefined || a === b;

/** The stat of the name itself, without following a link; `undefined` if it does not exist. */
export function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(toSystem(path), { bigint: true });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw thrown;
  }
}

/** For reading, without following a link or waiting for a pipe. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** SHA-256 of a file, read in pieces, without following a link. `size`: from a recent stat. */
export function hashFile(path: string, size?: bigint): string {
  const descriptor = openExact(path, READ);
  try {
    const expected = size === undefined ? fstatSync(descriptor).size : Number(size);
    // One byte more than the file has, so that the first read shows the end of a small file.
    const buffer = Buffer.allocUnsafe(Math.min(expected + 1, CHUNK));
    let length = readSync(descriptor, buffer, 0, buffer.length, null);
    if (length < buffer.length) return hashBytes(buffer.subarray(0, length));
    const hash = createHash("sha256").update(buffer);
    for (;;) {
      length = readSync(descriptor, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, length));
      if (length < buffer.length) return hash.digest("hex");
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A file's whole content and stat through one descriptor, so both belong to the same file. */
export function readWhole(path: string): { readonly bytes: Buffer; readonly found: BigIntStats } {
  const descriptor = openExact(path, READ);
  try {
    const found = fstatSync(descriptor, { bigint: true });
    const size = Number(found.size);
    // One byte more than the file has, so that the same read shows whether that is its end.
    const buffer = Buffer.allocUnsafe(size + 1);
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, null));
    return { bytes: bytes.length > size ? Buffer.concat([bytes, readFileSync(descriptor)]) : bytes, found };
  } finally {
    closeSync(descriptor);
  }
}

export const hashBytes = (bytes: Uint8Array): string => hashAll("sha256", bytes, "hex");

export const linkTarget = (path: string): string =>
  withExact(path, (place) => fromBytes(readlinkSync(toSystem(place), "buffer")));

export const modeOf = ({ mode }: BigIntStats): number => Number(mode) & 0o7777;

const rightsOf = (found: BigIntStats) => ({ mode: modeOf(found), ...ownerOf(found) });

export function ownerOf({ uid, gid }: BigIntStats): { readonly owner?: Owner } {
  own ??= [process.geteuid?.(), process.getegid?.()];
  return Number(uid) === own[0] && Number(gid) === own[1] ? {} : { owner: [Number(uid), Number(gid)] };
}

/** User and group of this process. Cached, because every file needs them. */
let own: readonly [uid: number | undefined, gid: number | undefined] | undefined;
