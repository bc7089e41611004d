import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "./fault.ts";
import { nestedRepositories } from "./git-index.ts";
import { untilPrompt } from "./prompt.ts";

/** Most bytes of a file of git that are read while everything else waits. */
const TEXT_BYTES = 16 * 1024 * 1024;

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
    await untilPrompt(current);
    for (const gitDir of gitFoldersOf(current)) {
      await untilPrompt(gitDir);
      texts.push(await configsOf(current, gitDir, new Set()));
      if (mayEndSearch(gitDir)) return texts.join("\n");
    }
    if (dirname(current) === current) return texts.length === 0 ? undefined : texts.join("\n");
  }
}

/** Whether git looks no further. What only looks like a repository it passes by; a file that names none makes it give up. */
function mayEndSearch(gitDir: string): boolean {
  const head = readIfThere(join(gitDir, "HEAD")) ?? "";
  const common = commonOf(gitDir);
  return (
    /^(ref:\s*refs\/|[\da-f]{40})/.test(head) && ["objects", "refs"].every((name) => existsSync(join(common, name)))
  );
}

async function configsOf(worktree: string, gitDir: string, seen: Set<string>): Promise<string> {
  if (seen.has(gitDir)) return "";
  seen.add(gitDir);
  const own = configOf(gitDir);
  const nested = await nestedOf(gitDir, own);
  if (nested === undefined) return `${own}\n${UNREADABLE}`;
  const texts = [own];
  for (const name of nested) {
    const folder = join(worktree, name);
    await untilPrompt(folder);
    for (const inner of gitFoldersOf(folder)) {
      await untilPrompt(inner);
      texts.push(await configsOf(folder, inner, seen));
    }
  }
  return texts.join("\n");
}

/** The repositories that lie in the worktree, by the index; `undefined` where that cannot be told. */
async function nestedOf(gitDir: string, config: string): Promise<readonly string[] | undefined> {
  const path = join(gitDir, "index");
  const format = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? "sha256" : "sha1";
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (!found.isFile()) return undefined;
    return nestedRepositories(found.size <= TEXT_BYTES ? readFileSync(path) : await readFile(path), format);
  } catch (thrown) {
    return errnoOf(thrown) === "ENOENT" ? [] : undefined;
  }
}

/** What git may take for the repository of a folder, in the order in which it looks. */
function gitFoldersOf(folder: string): readonly string[] {
  const dotGit = join(folder, ".git");
  const found = statOf(dotGit);
  const link = found?.isFile() && /^gitdir:\s*(.+?)\s*$/m.exec(readIfThere(dotGit) ?? "")?.[1];
  // A folder that looks like a bare repository is one to git.
  const isBare = ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));
  return [...(found?.isDirectory() ? [dotGit] : link ? [resolve(folder, link)] : []), ...(isBare ? [folder] : [])];
}

function commonOf(gitDir: string): string {
  const common = readIfThere(join(gitDir, "commondir"))?.trim();
  return common ? resolve(gitDir, common) : gitDir;
}

function configOf(gitDir: string): string {
  const common = commonOf(gitDir);
  const folders = common === gitDir ? [gitDir] : [common, gitDir];
  const files = folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const texts = files.map(readIfThere).filter((text) => text !== undefined);
  return [...texts, ...(hasOddNames(common) ? [ODD_NAME] : [])].join("\n");
}

const NAMESPACES: readonly string[] = ["refs", "refs/heads", "refs/tags", "refs/remotes"];

/** Whether a ref begins with a dash behind the part that git leaves away. What refs a table of git's newer format has is not known. */
function hasOddNames(gitDir: string): boolean {
  if (NAMESPACES.some((name) => namesIn(join(gitDir, name)).some((one) => one.startsWith("-")))) return true;
  if (existsSync(join(gitDir, "reftable"))) return true;
  const packed = readIfThere(join(gitDir, "packed-refs"));
  return packed === UNREADABLE || NAMESPACES.some((name) => packed?.includes(` ${name}/-`));
}

function readIfThere(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // Who waits for a pipe may wait for ever.
    return found.isFile() && found.size <= TEXT_BYTES ? readFileSync(path, "utf8") : UNREADABLE;
  } catch (thrown) {
    return isMissing(thrown) ? undefined : UNREADABLE;
  }
}

const isMissing = (thrown: unknown): boolean => errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR";

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
