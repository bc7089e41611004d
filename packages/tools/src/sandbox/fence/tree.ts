import { lstatSync, readdirSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { basename } from "@haft/core/tool";

/** One name in a folder. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The names below a folder, as far as a fence has to know them. */
export interface Tree {
  readonly root: string;
  /** Entries of each folder that was looked into, by absolute path; parents come before their children. */
  readonly folders: ReadonlyMap<string, readonly TreeEntry[]>;
  /** `false` when there were more folders than are looked into. */
  readonly complete: boolean;
}

/** Lists folder trees again and again, and reads only what changed since the last time. */
export interface TreeReader {
  /** `root` is a real path. Folders that cannot be read count as empty. */
  read(root: string): Promise<Tree>;
}

interface Seen {
  readonly changedMs: number;
  readonly inode: number;
  readonly readMs: number;
  readonly entries: readonly TreeEntry[];
}

/** Most folders that are looked into: about 60 ms when all are known already. */
export const MAX_FOLDERS = 20_000;
/** A folder read so soon after its last change may have changed once more within the same tick of the clock. */
const TICK_MS = 100;
/** Folders between two breaths for the event loop. */
const STRIDE = 250;
/** Big folders whose content is made by programs and governs nothing outside them. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "__pycache__", ".pnpm-store", ".venv"]);
/** What of a `.git` can hold hooks or configuration of its own. */
const GIT_FOLDERS: ReadonlySet<string> = new Set(["modules", "worktrees", "hooks", "info"]);
const GIT_STORES: ReadonlySet<string> = new Set(["objects", "refs", "logs", "lfs"]);

/** A reader that remembers, by change time, what it has listed. Change times cannot be set by programs. */
export function createTreeReader(maxFolders = MAX_FOLDERS): TreeReader {
  const memory = new Map<string, Map<string, Seen>>();
  return {
    async read(root) {
      const known = memory.get(root);
      const seen = new Map<string, Seen>();
      const queue = [root];
      for (let next = 0; next < queue.length && next < maxFolders; next++) {
        if (next % STRIDE === STRIDE - 1) await breathe();
        const folder = queue[next] as string;
        const found = look(folder, known?.get(folder));
        if (!found) continue;
        seen.set(folder, found);
        for (const { name, kind } of found.entries)
          if (kind === "folder" && isWorthALook(folder, name)) queue.push(join(folder, name));
      }
      memory.set(root, seen);
      const folders = new Map([...seen].map(([path, { entries }]) => [path, entries]));
      return { root, folders, complete: queue.length <= maxFolders };
    },
  };
}

/** The path of a name in a folder; the root folder ends in a slash already. */
export const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

function look(folder: string, known: Seen | undefined): Seen | undefined {
  try {
    const { ctimeMs, ino } = lstatSync(folder);
    if (known?.changedMs === ctimeMs && known.inode === ino && known.readMs - ctimeMs > TICK_MS) return known;
    const readMs = Date.now();
    const entries = readdirSync(folder, { withFileTypes: true }).map((entry): TreeEntry => {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
      return { name: entry.name, kind };
    });
    return { changedMs: ctimeMs, inode: ino, readMs, entries };
  } catch {
    return undefined;
  }
}

function isWorthALook(folder: string, name: string): boolean {
  if (SKIPPED.has(name)) return false;
  if (basename(folder) === ".git") return GIT_FOLDERS.has(name);
  return !(GIT_STORES.has(name) && folder.includes("/.git/"));
}
