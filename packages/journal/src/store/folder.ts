import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "@haft/core/tool";

/**
 * A folder outside the workspace but on its file system, for files that are moved instead of copied and for the upper
 * layers of views. It is in the journal if that is on the same file system, else beside the workspace. `undefined` if
 * there is none.
 */
export function annexOf(folder: string, root: string): string | undefined {
  if (root === "/") return undefined;
  const key = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  return [join(folder, "annex"), join(dirname(root), `.haft-${key}`)].find((place) => isUsable(place, root));
}

function isUsable(place: string, root: string): boolean {
  if (isWithin(root, place)) return false;
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    return statSync(place).dev === statSync(root).dev;
  } catch {
    return false;
  }
}

/** The folder of the base in an annex. */
export const baseIn = (annex: string): string => join(annex, "base");
