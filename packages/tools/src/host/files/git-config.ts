import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "./fault.ts";
import { nestedRepositories } from "./git-index.ts";

/** Stands for a file that is there and cannot be read: no line of a configuration, so nobody takes it for harmless. */
const UNREADABLE = "?unreadable";

/**
 * The repository's own configuration that git would use in a folder: of the nearest repository upwards, its worktree's
 * included, and of the repositories that lie in it as submodules do: git works in them too, by their configuration. `undefined`
 * outside of repositories. The user's own configuration is not among it: that is the user's word.
 */
export async function gitConfig(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    const gitDir = await gitFolderOf(current);
    if (gitDir) return configsOf(current, gitDir, new Set());
    if (dirname(current) === current) return undefined;
  }
}

async function configsOf(worktree: string, gitDir: string, seen: Set<string>): Promise<string> {
  if (seen.has(gitDir)) return "";
  seen.add(gitDir);
  const own = await configOf(gitDir);
  const index = await readFile(join(gitDir, "index")).catch((thrown: unknown) => errnoOf(thrown));
  if (index === "ENOENT") return own;
  const format = /^\s*objectformat\s*=\s*sha256\s*$/im.test(own) ? "sha256" : "sha1";
  const nested = Buffer.isBuffer(index) ? nestedRepositories(index, format) : undefined;
  if (nested === undefined) return `${own}\n${UNREADABLE}`;
  const texts = [own];
  for (const name of nested) {
    const folder = join(worktree, name);
    const inner = await gitFolderOf(folder);
    if (inner) texts.push(await configsOf(folder, inner, seen));
  }
  return texts.join("\n");
}

async function gitFolderOf(folder: string): Promise<string | undefined> {
  const dotGit = join(folder, ".git");
  const found = await stat(dotGit).catch(() => undefined);
  if (found?.isDirectory()) return dotGit;
  const link = found && /^gitdir:\s*(.+?)\s*$/m.exec((await readIfThere(dotGit)) ?? "")?.[1];
  if (link) return resolve(folder, link);
  // A folder that looks like a bare repository is one to git.
  const parts = await Promise.all(["HEAD", "objects", "refs"].map((name) => exists(join(folder, name))));
  return parts.every(Boolean) ? folder : undefined;
}

async function configOf(gitDir: string): Promise<string> {
  const common = (await readIfThere(join(gitDir, "commondir")))?.trim();
  const folders = common ? [resolve(gitDir, common), gitDir] : [gitDir];
  const files = folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const texts = await Promise.all(files.map(readIfThere));
  return texts.filter((text) => text !== undefined).join("\n");
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    return errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR" ? undefined : UNREADABLE;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
