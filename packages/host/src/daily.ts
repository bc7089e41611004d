import { statSync, writeFileSync } from "node:fs";

const DAY_MS = 24 * 3600_000;

/**
 * Whether a day has passed since this was last true for that mark, a file in an existing folder. Cleanup at the end
 * of a session asks this first, so that it usually costs one check.
 */
export function isDue(mark: string, now = Date.now()): boolean {
  const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (last !== undefined && now - last < DAY_MS && last <= now + DAY_MS) return false;
  try {
    writeFileSync(mark, new Date(now).toISOString(), { mode: 0o600 });
    return true;
  } catch {
    // Do not clean up each time on a full or read-only disk.
    return false;
  }
}
