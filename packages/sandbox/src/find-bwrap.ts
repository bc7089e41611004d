import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "@haft/core/tool";
import { isOfMachine } from "./environment.ts";

/** The fallback for an empty PATH. */
const USUAL = "/usr/bin:/usr/local/bin:/bin";

/**
 * The bubblewrap of this machine. Uses absolute entries of PATH only, and never a program in a folder that an agent may
 * write to, nor a link into one.
 */
export async function findBwrap(workspaces: readonly string[], path = process.env.PATH): Promise<string | undefined> {
  // Synchronous: for a few local folders at the start of a short command, awaiting each costs more than the check.
  const roots = workspaces.map((root) => realOf(root) ?? root);
  for (const folder of (path || USUAL).split(":")) {
    if (!folder.startsWith("/")) continue;
    const real = realOf(`${folder}/bwrap`);
    if (real === undefined) continue;
    const isOwn = [folder, dirname(real)].every(isOfMachine);
    if (!isOwn && roots.some((root) => isWithin(root, real) || isWithin(root, folder))) continue;
    if (isProgram(real)) return real;
  }
  return undefined;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A fingerprint that stays the same while a path leads to the same, unmodified program. */
export function programMark(path: string): string | undefined {
  const real = realOf(path);
  const found = real === undefined ? undefined : statSync(real, { bigint: true, throwIfNoEntry: false });
  if (real === undefined || !found) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return [real, dev, ino, size, mtimeNs, ctimeNs].join(":");
}
