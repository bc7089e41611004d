import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The settings of one person in one project. */
export const localSettingsFile = (root: string): string => join(root, ".haft", "settings.local.json");

/**
 * Creates the folder of the local settings with a `.gitignore` for them. Once committed, they would count as the project's,
 * and their allow rules would no longer apply. An existing `.gitignore` is kept.
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
