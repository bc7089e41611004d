import { statSync, writeFileSync } from "node:fs";

const DAY_MS = 24 * 3600_000;

/**
 * Whether a day has passed since this was last true for that mark, a file in a folder that exists. What tidies up at the end
 * of a session asks this first, so that it costs one look as a rule.
 */
export function isDue(mark: string, now = Date.now()): boolean {
  const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (last !== undefined && now - last < DAY_MS && last <= now + DAY_MS) return false;
  try {
    writeFileSync(mark, new Date(now).toISOString(), { mode: 0o600 });
    return true;
  } catch {
    // A disk that is full, or only readable, is not tidied each time.
    return false;
  }
}
