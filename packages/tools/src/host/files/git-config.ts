import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "./fault.ts";
import { nestedRepositories } from "./git-index.ts";

/** Stands for a file that is there and cannot be read: no line of a configuration, so nobody takes it for harmless. */
const UNREADABLE = "?unreadable";

/** Stands for a branch or tag of which the name, where a command puts it in, is an option. Nobody takes this for harmless either. */
const ODD_NAME = "?a name that begins with a dash";

/**
 * The repository's own configuration that git would use in a folder: of the nearest repository upwards, its worktree's
 * included, and of the repositories that lie in it as submodules do: git works in them too, by their configuration. `undefined`
 * outside of repositories. The user's own configuration is not among it: that is the user's word.
 */
export async function gitConfig(folder: string): Promise<string | undefined> {
  const texts: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    for (const gitDir of await gitFoldersOf(current)) {
      texts.push(await configsOf(current, gitDir, new Set()));
      if (await mayEndSearch(gitDir)) return texts.join("\n");
    }
    if (dirname(current) === current) return texts.length === 0 ? undefined : texts.join("\n");
  }
}

/** Whether git looks no further. What only looks like a repository it passes by; a file that names none makes it give up. */
async function mayEndSearch(gitDir: string): Promise<boolean> {
  const head = (await readIfThere(join(gitDir, "HEAD"))) ?? "";
  const common = await commonOf(gitDir);
  const parts = await Promise.all(["objects", "refs"].map((name) => exists(join(common, name))));
  return /^(ref:\s*refs\/|[\da-f]{40})/.test(head) && parts.every(Boolean);
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
    for (const inner of await gitFoldersOf(folder)) texts.push(await configsOf(folder, inner, seen));
  }
  return texts.join("\n");
}

/** What git may take for the repository of a folder, in the order in which it looks. */
async function gitFoldersOf(folder: string): Promise<readonly string[]> {
  const dotGit = join(folder, ".git");
  const found = await stat(dotGit).catch(() => undefined);
  const link = found?.isFile() && /^gitdir:\s*(.+?)\s*$/m.exec((await readIfThere(dotGit)) ?? "")?.[1];
  // A folder that looks like a bare repository is one to git.
  const parts = await Promise.all(["HEAD", "objects", "refs"].map((name) => exists(join(folder, name))));
  return [
    ...(found?.isDirectory() ? [dotGit] : link ? [resolve(folder, link)] : []),
    ...(parts.every(Boolean) ? [folder] : []),
  ];
}

async function commonOf(gitDir: string): Promise<string> {
  const common = (await readIfThere(join(gitDir, "commondir")))?.trim();
  return common ? resolve(gitDir, common) : gitDir;
}

async function configOf(gitDir: string): Promise<string> {
  const common = await commonOf(gitDir);
  const folders = common === gitDir ? [gitDir] : [common, gitDir];
  const files = folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const texts = await Promise.all(files.map(readIfThere));
  const odd = (await hasOddNames(common)) ? [ODD_NAME] : [];
  return [...texts.filter((text) => text !== undefined), ...odd].join("\n");
}

const NAMESPACES: readonly string[] = ["refs", "refs/heads", "refs/tags", "refs/remotes"];

/** Whether a ref begins with a dash behind the part that git leaves away. What refs a table of git's newer format has is not known. */
async function hasOddNames(gitDir: string): Promise<boolean> {
  const packed = readFile(join(gitDir, "packed-refs")).catch((thrown: unknown) => errnoOf(thrown) === "ENOENT");
  const folders = NAMESPACES.map((name) => readdir(join(gitDir, name)).catch(() => []));
  const names = (await Promise.all(folders)).flat();
  if (names.some((name) => name.startsWith("-")) || (await exists(join(gitDir, "reftable")))) return true;
  const text = await packed;
  return typeof text === "boolean" ? !text : NAMESPACES.some((name) => text.includes(` ${name}/-`));
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
