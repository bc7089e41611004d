import { lstatSync, readdirSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { isPrivatePath, isSecretName } from "@haft/core/policy";
import { basename } from "@haft/core/tool";
import type { RealPlace } from "./real.ts";

/** One name in a folder. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The names below a folder, as far as a fence has to know them. */
export interface Tree {
  readonly root: string;
  /** Entries of each folder that was read, by absolute path; parents come before their children. */
  readonly folders: ReadonlyMap<string, readonly TreeEntry[]>;
  /** Places that are private by their name. */
  readonly secrets: readonly RealPlace[];
  /** Files with the names of keys, those near the root first. Builds and tests may need them; readers do not. */
  readonly keys: readonly string[];
  /** `false` if there were more folders than the limit. */
  readonly complete: boolean;
  /** Folders that were not read, since there were too many. */
  readonly unseen: readonly string[];
}

/** Lists folder trees repeatedly, and reads only the folders that changed since the last time. */
export interface TreeReader {
  /**
   * `root` is a real path. Folders that cannot be read count as empty. `maxAgeMs`: a tree of very many folders may be this
   * old; it is refreshed in the background for the next time. `whole`: skips no folder because of its name.
   */
  read(root: string, wish?: { readonly maxAgeMs?: number; readonly whole?: boolean }): Promise<Tree>;
}

interface Seen {
  readonly changedMs: number;
  readonly inode: number;
  readonly readMs: number;
  readonly entries: readonly TreeEntry[];
  readonly secrets: readonly RealPlace[];
  readonly keys: readonly string[];
}

/** The cache entry of a tree. */
interface Known {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly tree: Tree;
  readonly atMs: number;
}

/** Trees of at most this many folders are always read again: that takes about 3 ms. */
export const SMALL_TREE = 1000;
/** Limit on folders to read: about 60 ms if all are cached. */
const MAX_FOLDERS = 20_000;
/** The same limit when every folder counts, including those with installed packages. */
const MAX_FOLDERS_WHOLE = 100_000;
/** A folder read this soon after its last change may have changed again within the same clock tick. */
const TICK_MS = 100;
/** Folders read before yielding to the event loop. */
const STRIDE = 250;
/** Big folders whose content programs generate and that govern nothing outside themselves. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "__pycache__", ".pnpm-store", ".venv"]);
/** Folders of a `.git` that can hold hooks or configuration of their own. */
const GIT_FOLDERS: ReadonlySet<string> = new Set(["modules", "worktrees", "hooks", "info"]);
const GIT_STORES: ReadonlySet<string> = new Set(["objects", "refs", "logs", "lfs"]);

/** A reader that caches listings by change time. Programs cannot set change times. */
export function createTreeReader(maxFolders = MAX_FOLDERS, maxWhole = MAX_FOLDERS_WHOLE): TreeReader {
  const some = rememberingReader(maxFolders, isWorthALook);
  const all = rememberingReader(maxWhole, () => true);
  return { read: (root, { whole = false, ...wish } = {}) => (whole ? all : some).read(root, wish) };
}

function rememberingReader(maxFolders: number, isWanted: (folder: string, name: string) => boolean): TreeReader {
  const memory = new Map<string, Known>();
  const looking = new Map<string, Promise<Tree>>();

  async function look(root: string): Promise<Tree> {
    const atMs = performance.now();
    const last = memory.get(root);
    const seen = new Map<string, Seen>();
    const queue = [root];
    let isSame = true;
    for (let next = 0; next < queue.length && next < maxFolders; next++) {
      if (next % STRIDE === STRIDE - 1) await breathe();
      const folder = queue[next] as string;
      const known = last?.seen.get(folder);
      const found = list(folder, known);
      if (!found) continue;
      isSame &&= found === known;
      seen.set(folder, found);
      for (const { name, kind } of found.entries)
        if (kind === "folder" && isWanted(folder, name)) queue.push(join(folder, name));
    }
    const isKept = last !== undefined && isSame && seen.size === last.seen.size;
    const tree = isKept ? last.tree : treeOf(root, seen, queue.slice(maxFolders));
    memory.set(root, { seen, tree, atMs });
    return tree;
  }

  /** At most one background read at a time. */
  function lookBehind(root: string): void {
    if (looking.has(root)) return;
    const again = look(root).finally(() => looking.delete(root));
    again.catch(() => undefined);
    looking.set(root, again);
  }

  return {
    async read(root, { maxAgeMs = 0 } = {}) {
      const last = memory.get(root);
      const isFresh = last !== undefined && performance.now() - last.atMs < maxAgeMs;
      if (!isFresh || last.seen.size <= SMALL_TREE) return look(root);
      lookBehind(root);
      return last.tree;
    },
  };
}

function treeOf(root: string, seen: ReadonlyMap<string, Seen>, unseen: readonly string[]): Tree {
  const folders = new Map([...seen].map(([path, { entries }]) => [path, entries]));
  const all = [...seen.values()];
  return {
    ...{ root, folders, complete: unseen.length === 0, unseen },
    secrets: all.flatMap((one) => one.secrets),
    keys: all.flatMap((one) => one.keys),
  };
}

/** The path of a name in a folder; the root folder already ends in a slash. */
export const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

function list(folder: string, known: Seen | undefined): Seen | undefined {
  try {
    const { ctimeMs, ino } = lstatSync(folder);
    if (known?.changedMs === ctimeMs && known.inode === ino && known.readMs - ctimeMs > TICK_MS) return known;
    const readMs = Date.now();
    const entries = readdirSync(folder, { withFileTypes: true }).map((entry): TreeEntry => {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
      return { name: entry.name, kind };
    });
    const secrets = entries
      .filter(({ name }) => isSecretName(name))
      .map(({ name, kind }) => ({ path: join(folder, name), isFolder: kind === "folder" }));
    const keys = entries
      .filter(({ name, kind }) => kind === "file" && isPrivatePath(name) && !isSecretName(name))
      .map(({ name }) => join(folder, name));
    return { changedMs: ctimeMs, inode: ino, readMs, entries, secrets, keys };
  } catch {
    return undefined;
  }
}

function isWorthALook(folder: string, name: string): boolean {
  if (SKIPPED.has(name)) return false;
  if (basename(folder) === ".git") return GIT_FOLDERS.has(name);
  return !(GIT_STORES.has(name) && folder.includes("/.git/"));
}
