import { readFileSync } from "node:fs";

/** A file's content; `undefined` when there is none. One that is there and cannot be read is an error, and no absence. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}
