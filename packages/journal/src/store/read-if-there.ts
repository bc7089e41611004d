import { readFileSync } from "node:fs";

/** A file's content; `undefined` if the file does not exist. Throws for an existing file that cannot be read. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}
