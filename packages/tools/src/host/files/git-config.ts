import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { textOfFile } from "../whole-file.ts";
import { errnoOf } from "./fault.ts";
import { nestedRepositories, trackedPaths } from "./git-index.ts";
import { untilPrompt } from "./prompt.ts";

/** Most bytes of a file of git that are read while everything else waits. */
const TEXT_BYTES = 16 * 1024 * 1024;

/** Stands for a file that is there and cannot be read: no line of a configuration, so nobody takes it for harmless. */
const UNREADABLE = "?unreadable";

/** Stands for a branch or tag of which the name, where a command puts it in, is an option. Nobody takes this for harmless either. */
const ODD_NAME = "?a name that begins with a dash";

/** Stands for content that git would take from elsewhere, with no word of it in the configuration. */
const ELSEWHERE = "?a repository that lies elsewhere";

/**
 * The repository's own configuration that git would use in a folder: of the nearest repository upwards, its worktree's
 * included, and of the repositories that lie in it as submodules do: git works in them too, by their configuration. `undefined`
 * outside of repositories. The user's own configuration is not among it: that is the user's word.
 */
export async function gitConfig(folder: string): Promise<string | undefined> {
  const texts: string[] = [];
  // Git, too, goes up from where it is, and not along the links by which it came there.
  await untilPrompt(folder);
  for (let current = realOf(folder) ?? folder; ; current = dirname(current)) {
    await untilPrompt(current);
    for (const gitDir of gitFoldersOf(current)) {
      await untilPrompt(gitDir);
      texts.push(await configsOf(current, gitDir, new Set()));
      if (mayEndSearch(gitDir)) return texts.join("\n");
    }
    if (dirname(current) === current) return texts.length === 0 ? undefined : texts.join("\n");
  }
}

/**
 * The files that the nearest repository above a folder tracks, as absolute paths, of those whose path in it is wanted. Nothing: none are,
 * or there is no repository.
 */
export async function gitTracked(folder: string, isWanted: (path: string) => boolean): Promise<readonly string[]> {
  for (let current = realOf(folder) ?? folder; ; current = dirname(current)) {
    await untilPrompt(current);
    for (const gitDir of gitFoldersOf(current)) {
      await untilPrompt(gitDir);
      const paths = await indexOf(gitDir, configOf(gitDir), trackedPaths);
      // One that cannot be read makes the configuration doubtful, and the command asks.
      const found = (paths ?? []).filter(isWanted).map((path) => join(current, path));
      if (found.length > 0 || mayEndSearch(gitDir)) return found;
    }
    if (dirname(current) === current) return [];
  }
}

/** Whether git looks no further. What only looks like a repository it passes by; a file that names none makes it give up. */
const mayEndSearch = (gitDir: string): boolean => {
  const common = commonOf(gitDir);
  return hasHead(gitDir) && common !== undefined && ["objects", "refs"].every((name) => canEnter(join(common, name)));
};

/** As much of HEAD as git reads to tell a repository. A link it does not follow. */
const HEAD_BYTES = 255;

function hasHead(gitDir: string): boolean {
  const path = join(gitDir, "HEAD");
  try {
    if (lstatSync(path).isSymbolicLink()) return readlinkSync(path).startsWith("refs/");
    return /^(ref:[ \t\n\r]*refs\/|[\da-f]{40})/.test((readIfThere(path) ?? "").slice(0, HEAD_BYTES));
  } catch {
    return false;
  }
}

function canEnter(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function configsOf(worktree: string, gitDir: string, seen: Set<string>): Promise<string> {
  if (seen.has(gitDir)) return "";
  seen.add(gitDir);
  const text = configOf(gitDir);
  // A submodule's repository says where its worktree is. Where that is here, it says nothing new.
  const isSubmodule = isSame(worktree, placeIn(text), gitDir);
  const plain = isSubmodule ? text.replace(PLACE, "$1") : text;
  const own = isElsewhere(worktree, gitDir, isSubmodule) ? `${plain}\n${ELSEWHERE}` : plain;
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

/** Folders of a repository in which git opens files by name, and shows lines of some. */
const OPENED: readonly string[] = ["", "info", "objects", "objects/info", "rebase-merge", "rebase-apply", "sequencer"];

/**
 * Whether a worktree shows the history of a repository that knows nothing of it, or what links lead to: whoever made it chose that. A
 * linked worktree is named by its repository.
 */
function isElsewhere(worktree: string, gitDir: string, isSubmodule: boolean): boolean {
  const common = commonOf(gitDir) ?? "";
  const isInside = lies(gitDir, worktree) || lies(gitDir, realOf(worktree) ?? worktree);
  const isOwn = isInside || isSubmodule || isNamed(worktree, gitDir);
  if (!isOwn || !lies(gitDir, common) || existsSync(join(common, "objects/info/alternates"))) return true;
  return OPENED.some((name) => hasLinks(join(gitDir, name)) || (common !== gitDir && hasLinks(join(common, name))));
}

function isNamed(worktree: string, gitDir: string): boolean {
  const back = readIfThere(join(gitDir, "gitdir"));
  return back !== undefined && ledTo(gitDir, back) === realOf(join(worktree, ".git"));
}

/** Where a worktree lies, as git itself writes it down. */
const PLACE = /^(\[core\]\n(?:\t[^\n]*\n)*?)\tworktree = ([^"\\;#\n]+)\n/m;
const placeIn = (config: string): string | undefined => PLACE.exec(config)?.[2];
const isSame = (worktree: string, named: string | undefined, from: string): boolean =>
  named !== undefined && realOf(resolve(from, named)) === realOf(worktree);

const lies = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);

/** HEAD is not followed, and of the others nothing is shown. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["HEAD", "hooks", "lfs"]);
const hasLinks = (folder: string): boolean =>
  entriesOf(folder).some((entry) => entry.isSymbolicLink() && !NOT_SHOWN.has(entry.name));

/** The repositories that lie in the worktree, by the index; `undefined` where that cannot be told. */
const nestedOf = (gitDir: string, config: string) => indexOf(gitDir, config, nestedRepositories);

async function indexOf(
  gitDir: string,
  config: string,
  read: typeof nestedRepositories,
): Promise<readonly string[] | undefined> {
  const path = join(gitDir, "index");
  const format = formatOf(config);
  if (format === undefined) return undefined;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (!found.isFile()) return undefined;
    return read(found.size <= TEXT_BYTES ? readFileSync(path) : await readFile(path), format);
  } catch (thrown) {
    return errnoOf(thrown) === "ENOENT" ? [] : undefined;
  }
}

/** How the names of objects are made, as git itself writes it down; `undefined` where it is written in another way. */
function formatOf(config: string): "sha1" | "sha256" | undefined {
  const mentions = config.match(/objectformat/gi)?.length ?? 0;
  if (mentions === 0) return "sha1";
  const [, format] = WRITTEN_FORMAT.exec(config) ?? [];
  return mentions === 1 && (format === "sha1" || format === "sha256") ? format : undefined;
}

/** A line in front that ends with a backslash would make something else of it. */
const WRITTEN_FORMAT = /(?:^|[^\\\r\n]\n)\[extensions\]\n(?:\t\w+ = \w+\n)*\tobjectformat = (\w+)\n/i;

/** What git may take for the repository of a folder, in the order in which it looks: real folders. */
function gitFoldersOf(folder: string): readonly string[] {
  const dotGit = join(folder, ".git");
  const found = statOf(dotGit);
  const link = found?.isFile() ? /^gitdir: ([\s\S]+)$/.exec(readIfThere(dotGit) ?? "")?.[1] : undefined;
  // What is no text leads nobody knows where: then the file stands for it, which is no repository.
  const named = found?.isDirectory() ? realOf(dotGit) : link?.includes(NO_TEXT) ? dotGit : link && ledTo(folder, link);
  // A folder that looks like a bare repository is one to git.
  const common = lstatOf(join(folder, "HEAD")) && commonOf(folder);
  const isBare = common !== undefined && ["objects", "refs"].every((name) => existsSync(join(common, name)));
  return [...(named ? [named] : []), ...(isBare ? [folder] : [])];
}

/** Where the repositories are that share a history with this one; `undefined` where there is nothing. */
function commonOf(gitDir: string): string | undefined {
  const common = readIfThere(join(gitDir, "commondir"));
  return common === undefined ? gitDir : ledTo(gitDir, common);
}

/** Stands where bytes are no text. */
const NO_TEXT = "\uFFFD";

/** Where the text of a file of git leads: it ends with its lines, and nothing else is left away. */
const ledTo = (folder: string, text: string): string | undefined => {
  const path = text.replace(/[\r\n]+$/, "");
  return realOf(isAbsolute(path) ? path : `${folder}/${path}`);
};

/** With every link followed, before any `..` behind it. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function configOf(gitDir: string): string {
  const common = commonOf(gitDir);
  if (common === undefined || !statOf(gitDir)?.isDirectory()) return UNREADABLE;
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
    return textOfFile(path, TEXT_BYTES);
  } catch (thrown) {
    return isMissing(thrown) ? undefined : UNREADABLE;
  }
}

const isMissing = (thrown: unknown): boolean => errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR";

const namesIn = (folder: string): readonly string[] => entriesOf(folder).map(({ name }) => name);
const entriesOf = (folder: string) => quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];

const statOf = (path: string) => quietly(() => statSync(path, { throwIfNoEntry: false }));
const lstatOf = (path: string) => quietly(() => lstatSync(path, { throwIfNoEntry: false }));

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
