import { unlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { startMarkOf } from "./mount.ts";
import { openFolders } from "./open-folders.ts";
import { workOf } from "./supply.ts";

/**
 * Removes a view's layers in the background; nobody has to wait for it. From now on the view has no owner. After a
 * crash the rest is therefore removed, and does not count as a command's changes.
 */
export function discardView(folder: string): void {
  try {
    unlinkSync(startMarkOf(folder));
  } catch {
    // It is gone already, or the disk reports an error: as after a kill, the next process knows that it was applied.
  }
  removeAll(folder).catch(() => undefined);
}

/** The overlay leaves folders without any permissions in its work folder, and commands may leave more of them. */
async function removeAll(folder: string): Promise<void> {
  try {
    openFolders(workOf(folder));
    await rm(folder, { recursive: true, force: true });
  } catch {
    openFolders(folder);
    await rm(folder, { recursive: true, force: true });
  }
}
