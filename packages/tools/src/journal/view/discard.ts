import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startMarkOf, viewsIn } from "./mount.ts";
import { openFolders } from "./open-folders.ts";
import { workOf } from "./supply.ts";

/**
 * Removes a view's layers, in its own time: nobody has to wait for it. From now on the view is nobody's, so that after a
 * crash the rest is removed and not taken for a command's changes.
 */
export function discardView(folder: string): void {
  rmSync(startMarkOf(folder), { force: true });
  removeAll(folder).catch(() => undefined);
}

/** The overlay leaves folders without any rights in its work folder, and commands may leave more of them. */
async function removeAll(folder: string): Promise<void> {
  try {
    openFolders(workOf(folder));
    await rm(folder, { recursive: true, force: true });
  } catch {
    openFolders(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes away what lies beside a workspace for nobody: views that were thrown away, and the folders, where these are empty then. */
export function sweepAnnex(annex: string): void {
  const views = viewsIn(annex);
  try {
    for (const folder of readdirSync(views).map((name) => join(views, name))) {
      if (existsSync(startMarkOf(folder))) continue;
      openFolders(workOf(folder));
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // There are none, or whoever threw one away is just removing it.
  }
  for (const place of [views, join(annex, "kept"), annex]) {
    try {
      rmdirSync(place);
    } catch {
      // Something is held or kept there, or it was never made.
    }
  }
}
