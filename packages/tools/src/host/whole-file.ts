import { constants, readFileSync, statSync } from "node:fs";

/** A file that is there and is not read whole: no regular file, or longer than anybody waits for. */
export class NotRead extends Error {}

/**
 * A file that the host itself reads, often before anybody has decided anything: what lies there may be a pipe or a device that
 * never ends. Links are followed. `undefined`: nothing is there.
 * @throws NotRead - with the reason as a sentence without its full stop.
 * @throws The error of the system where the file may not be read.
 */
export function bytesOfFile(path: string, mostBytes: number): Buffer | undefined {
  return isWhole(path, mostBytes) ? readFileSync(path, { flag: WITHOUT_WAITING }) : undefined;
}

/** The same as text in UTF-8, with a sign in place of what is none. */
export function textOfFile(path: string, mostBytes: number): string | undefined {
  return isWhole(path, mostBytes) ? readFileSync(path, { encoding: "utf8", flag: WITHOUT_WAITING }) : undefined;
}

/** For what has become a pipe since somebody looked. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function isWhole(path: string, mostBytes: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile()) throw new NotRead("This is no regular file");
  if (found.size > mostBytes) throw new NotRead(`The file has ${found.size} bytes; ${mostBytes} are read at most`);
  return true;
}
