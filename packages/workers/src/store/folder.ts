import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResultStore } from "./store.ts";

/** A folder that hosts and workers share. */
export function folderStore(folder: string): ResultStore {
  return {
    address: (name) => join(folder, name),
    async put(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `.${name}.${randomUUID()}`);
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, join(folder, name));
    },
    get: (name) => readFile(join(folder, name)),
  };
}
