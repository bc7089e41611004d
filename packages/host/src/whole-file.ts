import { constants, readFileSync, statSync } from "node:fs";

/** An existing file that is not read: it is not a regular file, or is too long. */
export class NotRead extends Error {}

/**
 * Reads a file for the host itself, often before any decision: the path may be a pipe or a device that
 * never ends. Follows links. `undefined`: the file does not exist.
 * @throws NotRead - with the reason as a sentence without its full stop.
 * @throws The system's error if the file may not be read.
 */
export function bytesOfFile(path: string, mostBytes: number): Buffer | undefined {
  return isWhole(path, mostBytes) ? readFileSync(path, { flag: WITHOUT_WAITING }) : undefined;
}

/** The same as UTF-8 text, with replacement characters for invalid bytes. */
export function textOfFile(path: string, mostBytes: number): string | undefined {
  return isWhole(path, mostBytes) ? readFileSync(path, { encoding: "utf8", flag: WITHOUT_WAITING }) : undefined;
}

/** Do not block on a path that became a pipe since the check. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function isWhole(path: string, mostBytes: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile()) throw new NotRead("This is not a regular file");
  if (found.size > mostBytes) throw new NotRead(`The file has ${found.size} bytes; ${mostBytes} are read at most`);
  return true;
}
