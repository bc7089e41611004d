import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";

/** Names that `mkdtemp` gives to folders that live for milliseconds. */
const SHORT_LIVED = /^haft-(?:pipe|filter|probe)-[A-Za-z0-9]{6}$/;
/** A folder of this age belongs to a killed host. */
const OLD_MS = 60 * 60 * 1000;

/** Removes leftovers of this user's killed hosts from the folder for temporary files. Never fails. */
export async function collectLeftovers(folder: string, nowMs = Date.now()): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const named = entries.filter((entry) => entry.isDirectory() && SHORT_LIVED.test(entry.name));
  await Promise.all(named.map(({ name }) => removeOld(`${folder}/${name}`, nowMs).catch(() => undefined)));
}

async function removeOld(path: string, nowMs: number): Promise<void> {
  const { uid, mtimeMs } = await lstat(path);
  if (uid === process.getuid?.() && nowMs - mtimeMs > OLD_MS) await rm(path, { recursive: true, force: true });
}
