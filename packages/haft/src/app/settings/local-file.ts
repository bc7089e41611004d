import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The settings of one person in one project. */
export const localSettingsFile = (root: string): string => join(root, ".haft", "settings.local.json");

/**
 * Makes the folder of the local settings, which tells git to leave them out: once they are in the repository they are
 * everybody's word, and what they allow counts no more. Whoever has written a `.gitignore` there keeps theirs.
 */
export function makeLocalFolder(root: string): void {
  const file = localSettingsFile(root);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  if (lstatSync(folder).isSymbolicLink()) return;
  try {
    writeFileSync(join(folder, ".gitignore"), `${basename(file)}\n`, { flag: "wx" });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}
