import { cp, lstat, mkdir, readdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, isWithin, parent, resolve } from "@haft/core/tool";
import { type Guards, join, survey, type Tree, type TreeReader } from "../fence/index.ts";

/** Compares protected names before and after a command: missing ones cannot be held while it runs. */
interface Watch {
  /** Moves new protected files to the quarantine and reports them. Call it once all processes of the command have ended. */
  settle(): Promise<readonly Appeared[]>;
}

/** A protected file or folder that a command created, or replaced by another. */
export interface Appeared {
  readonly path: string;
  /** Its new path; absent if it could not be moved. */
  readonly movedTo?: string;
}

interface WatchRequest {
  /** Writable folders. */
  readonly roots: readonly string[];
  readonly guards: Guards;
  readonly trees: TreeReader;
  /** A folder outside every workspace, created on demand. */
  readonly quarantine: string;
}

/** Records the protected names before a command. */
export async function watchProtected(request: WatchRequest): Promise<Watch> {
  const before = await protectedNow(request);
  return {
    async settle() {
      const now = await protectedNow(request);
      const fresh = [...now].filter(([path, mark]) => before.get(path) !== mark).map(([path]) => path);
      const outer = fresh.filter((path) => !fresh.some((other) => other !== path && isWithin(other, path)));
      const taken: Appeared[] = [];
      for (const path of outer) if (!(await isHarmless(path, request.roots))) taken.push(await take(path, request));
      return taken;
    },
  };
}

/** Protected names, each with a mark that changes when another file replaces it. */
async function protectedNow({ roots, guards, trees }: WatchRequest): Promise<ReadonlyMap<string, string>> {
  const read = await Promise.all(roots.map((root) => trees.read(root)));
  const paths = read.flatMap((tree) => protectedIn(tree, guards));
  const marks = await Promise.all(
    paths.map(async (path) => {
      const found = await lstat(path, { bigint: true }).catch(() => undefined);
      return [path, found ? `${found.dev}:${found.ino}` : "gone"] as const;
    }),
  );
  return new Map(marks.filter(([, mark]) => mark !== "gone"));
}

function protectedIn(tree: Tree, guards: Guards): readonly string[] {
  const found = survey(tree, guards);
  const gitFiles = found.held.filter((path) => !found.sealed.includes(path));
  return [...gitFiles, ...found.links];
}

/**
 * A repository that a command created or cloned is ordinary work if it has only sample hooks, and a configuration without
 * keys that run programs or include files.
 */
async function isHarmless(path: string, roots: readonly string[]): Promise<boolean> {
  if (basename(path) === ".git") return leadsToGit(path, roots);
  if (!path.includes("/.git/")) return false;
  if (basename(path) === "config") return isHarmlessConfig(await readFile(path, "utf8").catch(() => "?"));
  if (basename(path) === "commondir") {
    const text = await readFile(path, "utf8").catch(() => "");
    return text.trim() === "../.." && /\/\.git\/worktrees\/[^/]+\/commondir$/.test(path);
  }
  if (basename(path) !== "hooks") return false;
  const names = await readdir(path).catch(() => ["unreadable"]);
  return names.every((name) => name.endsWith(".sample"));
}

/** A `.git` file that names a folder elsewhere is harmless if that is in a `.git` of the workspace, which is watched. */
async function leadsToGit(path: string, roots: readonly string[]): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const target = /^gitdir: (.+)\s*$/.exec(text)?.[1];
  if (target === undefined) return false;
  const real = await realpath(resolve(parent(path), target.trim())).catch(() => undefined);
  return (
    real !== undefined && /\/\.git\/(?:modules|worktrees)\//.test(real) && roots.some((root) => isWithin(root, real))
  );
}

const HARMLESS_KEYS: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  remote: /^(?:url|pushurl|fetch|tagopt|mirror|promisor|partialclonefilter)$/,
  branch: /^(?:remote|merge|rebase)$/,
  submodule: /^(?:url|active)$/,
  user: /^(?:name|email)$/,
  extensions: /^(?:objectformat|partialclone)$/,
};

/** Whether a git configuration has only keys that name things, not keys that run or include something. */
export function isHarmlessConfig(text: string): boolean {
  let keys: RegExp | undefined;
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const section = /^\[([A-Za-z]+)(?: "[^"\\]*")?\]$/.exec(line);
    if (section) keys = HARMLESS_KEYS[(section[1] ?? "").toLowerCase()];
    const [, key, value = ""] = section ? [] : (/^([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^\\]*)$/.exec(line) ?? []);
    if (section && keys) continue;
    // Only `ext::` and a leading `-` in an address start programs.
    if (key === undefined || !keys?.test(key.toLowerCase()) || /ext::|^["']?-/.test(value)) return false;
  }
  return true;
}

async function take(path: string, { quarantine, roots }: WatchRequest): Promise<Appeared> {
  const root = roots.find((folder) => isWithin(folder, path)) ?? "/";
  const stamp = `${Date.now().toString(36)}-${process.pid}`;
  const movedTo = join(join(quarantine, stamp), path.slice(root.length + 1));
  try {
    await mkdir(parent(movedTo), { recursive: true, mode: 0o700 });
    await rename(path, movedTo).catch(async (thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== "EXDEV") throw thrown;
      await cp(path, movedTo, { recursive: true, verbatimSymlinks: true, errorOnExist: true });
      await rm(path, { recursive: true });
    });
    return { path, movedTo };
  } catch {
    return { path };
  }
}
