import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDue } from "../host/daily.ts";

/** Days for which a session's long outputs are kept after it was last written to. */
const SPILL_DAYS = 30;

/**
 * Throws away the long outputs, those of jobs too, of the sessions in a folder with which nobody has gone on for so long. Their
 * records stay. Looks once a day; what cannot be removed stays for the next time.
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
      // Somebody else is at it, or may not be let in.
    }
  }
}

/** When something in a folder was last written, in milliseconds: a job may go on where no call is recorded. */
const lastWrite = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)).mtimeMs)
    .reduce((latest, one) => Math.max(latest, one), lstatSync(folder).mtimeMs);
