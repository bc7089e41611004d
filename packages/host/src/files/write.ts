import { createHash, hash, randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFile as writeContent,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import { basename, fail, type Location, parent, type TextFile, type WriteExpectation } from "@haft/core/tool";
import type { CopyAttributes } from "./attributes/copy-attributes.ts";
import { encode } from "./encoding.ts";
import { errnoOf, toFault, worded } from "./fault.ts";
import { type Locate, locate, refuseCycle, refuseReplaced } from "./locate.ts";
import { openFolder, openItself, SMALL_BYTES } from "./open.ts";

/** Options for writing a file: its expected state, and the file whose encoding a text gets. */
interface WriteOptions extends WriteExpectation {
  readonly like?: Pick<TextFile, "encoding" | "bom">;
  /** Permission bits of a new file. */
  readonly mode?: number;
}

/**
 * Replaces a file atomically: writes the whole new content into a temporary file in the same folder, which then takes
 * the old one's name. A kill at any moment leaves the old file or the new one. Checks the expectations of the old file
 * last.
 */
export async function writeFile(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions,
  { place, copyAttributes }: { readonly place: Locate; readonly copyAttributes: CopyAttributes },
): Promise<Replaced & { bytes: number; folders: readonly string[] }> {
  const target = await place(path);
  refuseOther(path, target.kind);
  const bytes = await bytesOf(path, data, options.like);
  return worded(path, async () => {
    const folders: string[] = [];
    try {
      if (target.kind === "missing") makeFolder(parent(target.path), folders);
      return { ...(await replace(path, target, bytes, options, copyAttributes)), bytes: bytes.length, folders };
    } catch (thrown) {
      // A failed write leaves nothing behind. Report the original error.
      try {
        removeEmpty(folders);
      } catch {}
      throw thrown;
    }
  });
}

/** Removes folders, the deepest first, up to one that is not empty: another program uses it now. */
function removeEmpty(folders: readonly string[]): void {
  for (const path of folders.toSorted().reverse()) {
    try {
      using above = openFolder(parent(path), path);
      rmdirSync(`${above.inside}/${basename(path)}`);
    } catch (thrown) {
      const name = errnoOf(thrown);
      if (name === "ENOTEMPTY" || name === "EEXIST") return;
      // Already gone, or its name now belongs to something else.
      if (name !== "ENOENT" && name !== "ENOTDIR") throw thrown;
    }
  }
}

/** Node's own recursive mkdir never ends if a folder cannot be created, as below /proc. Adds created folders to `made`. */
function makeFolder(path: string, made: string[]): void {
  try {
    makeOne(path, made);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
    makeFolder(parent(path), made);
    // Try again: the parent exists now, whichever process created it.
    makeOne(path, made);
  }
}

function makeOne(path: string, made: string[]): void {
  if (path === "/") return;
  using above = openFolder(parent(path), path);
  const own = `${above.inside}/${basename(path)}`;
  try {
    mkdirSync(own);
    made.push(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== "EEXIST") throw thrown;
    // The existing path may be a file instead of a folder.
    if (!statSync(own).isDirectory()) throw toFault({ code: "ENOTDIR" }, path);
  }
}

/** The prefix of a process's temporary files, which identifies those of a killed one. They end with `.tmp`. */
export const temporaryBegin = (pid: number): string => `.haft-${pid}-`;

/** The file now on disk. */
interface Replaced {
  readonly hash: string;
  /** Other names (hard links) of the old file, which keep the old content. */
  readonly otherNames?: number;
  /** Extended attributes of the old file that could not be carried over. */
  readonly lostAttributes?: readonly string[];
  /** The user to whom the old file belonged, if the new one belongs to this process. */
  readonly lostOwner?: number;
}

/** Writes the content and resolves to its hash. */
async function replace(
  path: string,
  target: Location,
  bytes: Uint8Array,
  { expect, mode }: WriteOptions,
  copyAttributes: CopyAttributes,
): Promise<Replaced> {
  using folder = openFolder(parent(target.path), path);
  const temporary = `${folder.inside}/${temporaryBegin(process.pid)}${randomBytes(12).toString("hex")}.tmp`;
  const final = `${folder.inside}/${basename(target.path)}`;
  let isTaken = false;
  try {
    const filled = await fill(path, temporary, final, bytes, { mode, copyAttributes });
    isTaken = await take(path, temporary, final, expect);
    return filled;
  } finally {
    if (!isTaken) removeQuietly(temporary);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created.
  }
}

/** The expected state of a file to remove, and the folders above it to remove if they are then empty. */
interface RemoveOptions extends WriteExpectation {
  readonly folders?: readonly string[];
}

/**
 * Removes a regular file through its open folder, so that swapping a name on the way cannot redirect it. Checks the
 * expectations last.
 */
export async function removeFile(
  path: string,
  { expect, folders = [] }: RemoveOptions = {},
  place: Locate = locate,
): Promise<void> {
  const target = await place(parent(path));
  await worded(path, async () => {
    using folder = openFolder(target.path, path);
    const final = `${folder.inside}/${basename(path)}`;
    if (!lstatSync(final).isFile())
      fail(
        "validation_failed",
        `${path} is not a regular file and was not removed.`,
        "Use Bash to remove links and folders.",
      );
    if (expect !== undefined && hashNow(final, await hashIfLarge(final)) !== expect)
      fail(
        "file_changed",
        `${path} has changed since it was read.`,
        "Nothing was removed. Read it again, then decide.",
        {
          path,
        },
      );
    unlinkSync(final);
    removeEmpty(folders);
  });
}

const writeInThread = promisify(writeContent);
const sync = promisify(fsync);

/** Writes the content to a new file with owner, attributes and mode of the one it will replace, and syncs it to disk. */
async function fill(
  path: string,
  temporary: string,
  final: string,
  bytes: Uint8Array,
  { mode, copyAttributes }: { readonly mode: number | undefined; readonly copyAttributes: CopyAttributes },
): Promise<Replaced> {
  // The folder is open, so these calls return at once, faster than a call to another thread.
  const old = lstatSync(final, { throwIfNoEntry: false });
  if (old && !old.isFile()) refuseReplaced(path);
  if (old) accessSync(final, constants.W_OK);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(temporary, flags, old ? 0o600 : 0o666);
  try {
    if (bytes.length <= SMALL_BYTES) writeFileSync(descriptor, bytes);
    else await writeInThread(descriptor, bytes);
    if (mode !== undefined && !old) fchmodSync(descriptor, mode & 0o777);
    // Hash and copy attributes while the disk works.
    const copied = old ? copyAttributes(final, temporary) : [];
    const synced = sync(descriptor);
    const digest = hash("sha256", bytes, "hex");
    const [lost] = await Promise.all([copied, synced]);
    // The mode comes last: with an ACL, its middle digit is the ACL's mask and no right of the group.
    if (old) takeOver(descriptor, old);
    const names = old ? old.nlink - 1 : 0;
    const attributes = lost.length > 0 ? { lostAttributes: lost } : {};
    const owner = old && fstatSync(descriptor).uid !== old.uid ? { lostOwner: old.uid } : {};
    return { hash: digest, ...(names > 0 ? { otherNames: names } : {}), ...attributes, ...owner };
  } finally {
    closeSync(descriptor);
  }
}

/** Ownership first: changing it clears the set-id bits. Only root may give a file away, others keep their own. */
function takeOver(descriptor: number, old: { uid: number; gid: number; mode: number }): void {
  try {
    fchownSync(descriptor, old.uid, old.gid);
  } catch {
    // The file keeps the writer as owner.
  }
  // As for any write into a file, drop setuid and setgid: nobody approved the new content to run as the owner.
  fchmodSync(descriptor, old.mode & 0o1777);
}

/**
 * Gives the temporary file its final name. Returns whether its temporary name is gone. Nothing else runs between the last
 * check of the old file and the change, so the race with other writers is as short as possible.
 */
async function take(path: string, temporary: string, final: string, expect: string | undefined): Promise<boolean> {
  if (expect === "absent") return takeFree(path, temporary, final);
  if (expect !== undefined && hashNow(final, await hashIfLarge(final)) !== expect)
    fail(
      "file_changed",
      `${path} has changed since it was read.`,
      "Nothing was written. Read it again and change its current content.",
      { path },
    );
  renameSync(temporary, final);
  return true;
}

/** A hard link fails if the name is taken, so it cannot overwrite a file created in between. */
function takeFree(path: string, temporary: string, final: string): boolean {
  try {
    linkSync(temporary, final);
    return false;
  } catch (thrown) {
    const name = errnoOf(thrown);
    const isFree = statSync(final, { throwIfNoEntry: false }) === undefined;
    if (name !== "EEXIST" && (name === "ENOSPC" || !isFree)) throw thrown;
    if (name === "EEXIST")
      fail("file_exists", `${path} exists already.`, "Nothing was written. Read it first, then decide.", { path });
    renameSync(temporary, final);
    return true;
  }
}

/** Files up to this size are hashed at once. */
const HELD_BYTES = 1024 * 1024;

/** A hash that took time, with the state of the file when it began. */
interface Hashed {
  readonly hash: string;
  readonly state: string;
}

const stateOf = (fd: number): string => {
  const { ino, size, ctimeNs } = fstatSync(fd, { bigint: true });
  return `${ino} ${size} ${ctimeNs}`;
};

/** The hash of a file that is too large to be hashed at once. */
async function hashIfLarge(path: string): Promise<Hashed | undefined> {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    if (fstatSync(fd).size <= HELD_BYTES) return undefined;
    const state = stateOf(fd);
    const running = createHash("sha256");
    for await (const chunk of createReadStream("", { fd, autoClose: false })) running.update(chunk as Buffer);
    return { hash: running.digest("hex"), state };
  } finally {
    closeSync(fd);
  }
}

/**
 * SHA-256 of a file in hex, or `undefined` if it is gone, a link, or changed since `before` was taken. Does not wait, so that
 * no other write comes between the hash and the next step of the caller.
 */
function hashNow(path: string, before: Hashed | undefined): string | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    if (before) return stateOf(fd) === before.state ? before.hash : undefined;
    return fstatSync(fd).size > HELD_BYTES ? undefined : hash("sha256", readFileSync(fd), "hex");
  } finally {
    closeSync(fd);
  }
}

/** `undefined` if the file is gone or now a link. */
function openIfThere(path: string): number | undefined {
  try {
    return openItself(path);
  } catch (thrown) {
    const name = errnoOf(thrown);
    if (name === "ENOENT" || name === "ELOOP") return undefined;
    throw thrown;
  }
}

async function bytesOf(path: string, data: string | Uint8Array, like: WriteOptions["like"]): Promise<Uint8Array> {
  if (typeof data !== "string") return data;
  const bytes = await encode(data, like ?? { encoding: "utf-8", bom: false });
  return (
    bytes ??
    fail(
      "validation_failed",
      `The new text of ${path} has characters that its encoding, ${like?.encoding}, does not have.`,
      "Nothing was written. Use only characters of that encoding, or convert the file to UTF-8 first (Bash: iconv).",
    )
  );
}

function refuseOther(path: string, kind: Location["kind"]): void {
  if (kind === "directory")
    fail("is_directory", `${path} is a folder; a file cannot be written there.`, "Name a file inside it.");
  if (kind !== "other") return;
  refuseCycle(path);
  fail("permission_denied", `${path} is a device, pipe or socket.`, "Write to a regular file instead.");
}
