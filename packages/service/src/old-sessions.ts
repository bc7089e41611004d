import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAlive, isDue } from "@haft/host";

/** How long the sessions of a folder are kept. */
export interface Retention {
  /** Days after the last write. 0 or absent: for ever. */
  readonly days?: number;
  /** Most sessions, the latest first. 0 or absent: any number. */
  readonly count?: number;
}

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days after its last write for which a session's long outputs are kept. */
const SPILL_DAYS = 30;

/**
 * Deletes sessions that nobody needs any more, and the long outputs of others that nobody has continued for 30 days. Runs
 * once a day; a failed removal is tried again the next time.
 */
export function tidySessions(sessions: string, keep: Retention, now = Date.now()): void {
  if (!existsSync(sessions) || !isDue(join(dirname(sessions), "spills-tidied"), now)) return;
  const removed = new Set(dropOldSessions(sessions, keep, now));
  for (const { folder, at } of sessionsIn(sessions).filter(({ id }) => !removed.has(id)))
    if (at < now - SPILL_DAYS * DAY_MS) remove(join(folder, "spill"));
}

/**
 * Deletes the sessions that are too old or too many, with all their files. Keeps the latest one, those that are open, and
 * those of the last hour. Returns the ids.
 */
export function dropOldSessions(
  sessions: string,
  { days = 0, count = 0 }: Retention,
  now = Date.now(),
): readonly string[] {
  const isOver = (at: number, place: number): boolean =>
    (days > 0 && at < now - days * DAY_MS) || (count > 0 && place >= count && at < now - HOUR_MS);
  return sessionsIn(sessions)
    .filter(({ folder, at }, place) => place > 0 && isOver(at, place) && !isOpenSession(folder) && remove(folder))
    .map(({ id }) => id);
}

/** Whether a process has the session of that folder open: it has left a mark there, and still runs. */
export function isOpenSession(folder: string): boolean {
  try {
    return readdirSync(join(folder, "open")).some((name) => isAlive(name.split(".")[0] ?? ""));
  } catch {
    return false;
  }
}

interface StoredFolder {
  readonly id: string;
  readonly folder: string;
  /** The last write, in milliseconds. */
  readonly at: number;
}

/** The sessions in a folder, the latest first. */
function sessionsIn(sessions: string): readonly StoredFolder[] {
  if (!existsSync(sessions)) return [];
  const found = readdirSync(sessions).flatMap((id): StoredFolder[] => {
    const folder = join(sessions, id);
    try {
      return [{ id, folder, at: lastWrite(folder) }];
    } catch {
      // Another process is removing it, or we may not read it.
      return [];
    }
  });
  return found.toSorted((a, b) => b.at - a.at);
}

/**
 * Time of the last write in a folder, in milliseconds. A job may continue while no call is recorded. Folders do not count
 * beside files, because deleting a file changes them too.
 */
function lastWrite(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  if (files.length === 0) return lstatSync(folder).mtimeMs;
  return Math.max(...files.map(({ parentPath, name }) => lstatSync(join(parentPath, name)).mtimeMs));
}

function remove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
