import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Gives the owner all permissions on a folder and those below it, so that they can be removed. Does not follow links. */
export function openFolders(folder: string): void {
  if (!existsSync(folder)) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
  }
}
