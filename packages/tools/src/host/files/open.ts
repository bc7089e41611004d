import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { fail } from "@haft/core/tool";
import { worded } from "./fault.ts";
import { locate } from "./locate.ts";

/**
 * Opens a regular file for reading. The name is resolved first, then opened without following links and without
 * waiting, so that a file swapped for a link or a pipe in between is refused instead of followed.
 */
export async function openFile(path: string): Promise<FileHandle> {
  const location = await locate(path);
  if (location.kind === "missing") await refuseMissing(path, location.path);
  refuseOther(path, location.kind);
  const handle = await worded(path, () =>
    open(location.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  );
  try {
    const now = await handle.stat();
    refuseOther(path, now.isFile() ? "file" : now.isDirectory() ? "directory" : "other");
    await checkSame(handle, location.path, path);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Fails when an open handle is not what its name was resolved to: somebody swapped a folder on the way. */
export async function checkSame(handle: FileHandle, location: string, path: string): Promise<void> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (opened === undefined || opened === location) return;
  fail("conflict", `${path} was moved or replaced while it was being opened.`, "Try again.");
}

async function refuseMissing(path: string, location: string): Promise<never> {
  // Opening says whether a parent is a file (not_directory) or the file is simply not there.
  const handle = await worded(path, () => open(location, constants.O_RDONLY | constants.O_NONBLOCK));
  await handle.close();
  return fail("conflict", `${path} appeared while it was being opened.`, "Try again.");
}

function refuseOther(path: string, kind: "file" | "directory" | "other" | "missing"): void {
  if (kind === "directory")
    fail("is_directory", `${path} is a folder, not a file.`, "Ls lists what is in it; Glob finds files below it.");
  if (kind === "other")
    fail(
      "binary_file",
      `${path} is a device, pipe or socket, not a regular file.`,
      "Name a regular file. Bash can talk to devices and pipes, with a time limit.",
    );
}
