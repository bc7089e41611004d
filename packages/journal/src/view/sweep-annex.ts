import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stagingIn } from "../store/staging.ts";
import { startMarkOf, viewsIn } from "./mount.ts";
import { openFolders } from "./open-folders.ts";
import { workOf } from "./supply.ts";

/** Removes leftovers beside a workspace: discarded views, and the folders if they are empty then. */
export function sweepAnnex(annex: string): void {
  const views = viewsIn(annex);
  try {
    for (const folder of readdirSync(views).map((name) => join(views, name))) {
      if (existsSync(startMarkOf(folder))) continue;
      openFolders(workOf(folder));
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // There are none, or the process that discarded one is removing it right now.
  }
  for (const place of [views, join(annex, "kept"), stagingIn(annex), annex]) {
    try {
      rmdirSync(place);
    } catch {
      // It still contains held or kept files, or was never created.
    }
  }
}
