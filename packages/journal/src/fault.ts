import { statfsSync } from "node:fs";
import { type ErrorCode, HaftError, isWithin } from "@haft/core/tool";
import type { Ledger } from "./ledger.ts";

/** Disk errors in words, each with its error code and a cure for the folder. */
const FAULTS: Readonly<Record<string, readonly [words: string, code: ErrorCode, cure: string]>> = {
  ENOSPC: ["the disk is full", "no_space", "Make room"],
  EDQUOT: ["the user's share of the disk is used up", "no_space", "Make room"],
  EIO: ["the disk reports errors", "execution_failed", "Check the disk (see dmesg)"],
  EROFS: ["the file system is read-only", "permission_denied", "Allow writing"],
  mkdir: ["its folder cannot be created", "permission_denied", "Allow writing"],
  EACCES: ["this user has no permission there", "permission_denied", "Allow reading and writing"],
};
/** System calls that change nothing. */
const READING: readonly (string | undefined)[] = ["read", "scandir", "stat", "lstat", "readlink"];

/** Works on the journal's files and turns disk errors into errors with a cure. */
export async function withDiskFaults<T>(ledger: Places, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw diskFault(thrown, ledger);
  }
}

/** A disk error with its cure. `state`: how far the work came. Returns any other error unchanged. */
export function diskFault(thrown: unknown, ledger: Places, state = ""): unknown {
  if (faultOf(thrown) === undefined) return thrown;
  const folders = faultyFolders(thrown, ledger);
  const what = folders.includes(ledger.folder) ? "The journal" : "The workspace or its copy";
  const then = "The next command that uses the journal completes the interrupted work.";
  return inWords(thrown, `${state}${what}`, folders.join(" and "), then);
}

type Places = Pick<Ledger, "folder" | "root" | "annex">;

/**
 * The workspace or the journal: the one that an error names, or those whose disk is full; else both. Layers and copies
 * count as the workspace, because they lie on its disk.
 */
export function faultyFolders(thrown: unknown, { folder, root, annex }: Places): readonly string[] {
  const { path, dest = path } = thrown as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest !== undefined && isWithin(folder, dest)) return [folder];
  if (dest !== undefined && [root, annex].some((place) => place !== undefined && isWithin(place, dest))) return [root];
  const both = [root, folder];
  const full = both.filter(isFull);
  return full.length === 0 ? both : full;
}

/** Less free space, in bytes, is none. */
const FULL_BYTES = 1024 * 1024;

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    return bavail * bsize < FULL_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** The words, code and cure of a disk error; `undefined` for any other error. */
export function faultOf(thrown: unknown) {
  const { code: errno = "", syscall } = thrown as NodeJS.ErrnoException;
  // Node reports ENOENT for mkdir, whatever keeps a parent folder from being created.
  const name = errno === "ENOENT" && syscall === "mkdir" ? "mkdir" : errno;
  const fault = HaftError.is(thrown) || !Object.hasOwn(FAULTS, name) ? undefined : FAULTS[name];
  if (fault === undefined) return undefined;
  const [words, code, cure] = fault;
  return { words, code, cure };
}

/** A disk error while reading or writing `what` below `folder`, with its cure. Returns any other error unchanged. */
export function inWords(thrown: unknown, what: string, folder: string, then: string): unknown {
  const fault = faultOf(thrown);
  if (fault === undefined) return thrown;
  const { syscall, message } = thrown as NodeJS.ErrnoException;
  return new HaftError({
    code: fault.code,
    message: `${what} could not be ${READING.includes(syscall) ? "read" : "written"}: ${fault.words} (${message}).`,
    hint: `${fault.cure} below ${folder}, then try again. ${then}`,
  });
}
