import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDue } from "@haft/host";

/** Days after its last write for which a session's long outputs are kept. */
const SPILL_DAYS = 30;

/**
 * Deletes the long outputs, also those of jobs, of a folder's sessions that nobody has continued for so long. The
 * records stay. Runs once a day; a failed removal is tried again the next time.
 */
export function dropOldSpills(sessions: string, now = Date.now()): void {
  if (!existsSync(sessions) || !isDue(join(dirname(sessions), "spills-tidied"), now)) return;
  const oldest = now - SPILL_DAYS * 24 * 3600_000;
  for (const id of readdirSync(sessions)) {
    const folder = join(sessions, id);
    const spill = join(folder, "spill");
    try {
      if (existsSync(spill) && lastWrite(folder) < oldest) rmSync(spill, { recursive: true, force: true });
    } catch {
      // Another process is removing it, or we may not.
    }
  }
}

/** Time of the last write in a folder, in milliseconds. A job may continue while no call is recorded. */
const lastWrite = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)).mtimeMs)
    .reduce((latest, one) => Math.max(latest, one), lstatSync(folder).mtimeMs);
