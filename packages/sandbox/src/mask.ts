import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";

/** The fallback: a device on a mount without devices cannot be opened either, but looks odd in a listing. */
const DEVICE = "/dev/null";

/**
 * An empty file of ours that nobody may open. It is mounted over private files: a listing shows a file, and opening it is
 * refused. That is more truthful than an empty file.
 */
export function maskAt(path: string): string {
  try {
    if (isMask(path)) return path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (lstatSync(path, { throwIfNoEntry: false })) unlinkSync(path);
    closeSync(openSync(path, "wx", 0));
    chmodSync(path, 0);
    return isMask(path) ? path : DEVICE;
  } catch {
    return DEVICE;
  }
}

function isMask(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0 && (found.mode & 0o777) === 0 && found.uid === process.getuid?.();
}
