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

/** Size limit of a git file to read synchronously. */
const TEXT_BYTES = 16 * 1024 * 1024;

/** Marks a file that exists but cannot be read. It is not a valid configuration line, so no check treats it as harmless. */
const UNREADABLE = "?unreadable";

/** Marks a branch or tag whose name would be an option in a command. No check treats it as harmless either. */
const ODD_NAME = "?a name that begins with a dash";

/** Marks content that git would take from elsewhere although the configuration does not mention it. */
const ELSEWHERE = "?a repository that lies elsewhere";

/**
 * The repository configuration that git would use in a folder: that of the nearest repository upwards, including its
 * worktree's, and of nested repositories such as submodules, in which git works too. `undefined` outside of repositories.
 * Excludes the user's own configuration, which is the user's decision.
 */
export async function gitConfig(folder: string): Promise<string | undefined> {
  const texts: string[] = [];
  // Git, too, goes up from the real folder, and not along the links that led there.
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
 * Absolute paths of the files that the nearest repository above a folder tracks and whose path in it is wanted. Empty: none
 * are wanted, or there is no repository.
 */
export async function gitTracked(folder: string, isWanted: (path: string) => boolean): Promise<readonly string[]> {
  for (let current = realOf(folder) ?? folder; ; current = dirname(current)) {
    await untilPrompt(current);
    for (const gitDir of gitFoldersOf(current)) {
      await untilPrompt(gitDir);
      const paths = await indexOf(gitDir, configOf(gitDir), trackedPaths);
      // An unreadable index makes the configuration doubtful, and the command asks.
      const found = (paths ?? []).filter(isWanted).map((path) => join(current, path));
      if (found.length > 0 || mayEndSearch(gitDir)) return found;
    }
    if (dirname(current) === current) return [];
  }
}

/** Whether git stops searching here. It skips a folder that only looks like a repository. It gives up at a `.git` file without one. */
const mayEndSearch = (gitDir: string): boolean => {
  const common = commonOf(gitDir);
  return hasHead(gitDir) && common !== undefined && ["objects", "refs"].every((name) => canEnter(join(common, name)));
};

/** The part of HEAD that git reads to recognize a repository. It does not follow a link. */
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
  // A submodule's repository names its worktree. If that is this folder, drop the line.
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

/** Folders of a repository in which git opens files by name, and prints lines of some. */
const OPENED: readonly string[] = ["", "info", "objects", "objects/info", "rebase-merge", "rebase-apply", "sequencer"];

/**
 * Whether a worktree shows the history of a repository that does not know it, or the targets of links: the worktree's author
 * chose those. The repository of a linked worktree names it.
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

/** The path of a worktree, in git's own notation. */
const PLACE = /^(\[core\]\n(?:\t[^\n]*\n)*?)\tworktree = ([^"\\;#\n]+)\n/m;
const placeIn = (config: string): string | undefined => PLACE.exec(config)?.[2];
const isSame = (worktree: string, named: string | undefined, from: string): boolean =>
  named !== undefined && realOf(resolve(from, named)) === realOf(worktree);

const lies = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);

/** Git does not follow HEAD, and prints nothing of the others. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["HEAD", "hooks", "lfs"]);
const hasLinks = (folder: string): boolean =>
  entriesOf(folder).some((entry) => entry.isSymbolicLink() && !NOT_SHOWN.has(entry.name));

/** The nested repositories in the index; `undefined` if unknown. */
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

/** The hash of object names, if written in git's own notation; `undefined` for any other notation. */
function formatOf(config: string): "sha1" | "sha256" | undefined {
  const mentions = config.match(/objectformat/gi)?.length ?? 0;
  if (mentions === 0) return "sha1";
  const [, format] = WRITTEN_FORMAT.exec(config) ?? [];
  return mentions === 1 && (format === "sha1" || format === "sha256") ? format : undefined;
}

/** Excludes a preceding line that ends with a backslash, which would change the meaning. */
const WRITTEN_FORMAT = /(?:^|[^\\\r\n]\n)\[extensions\]\n(?:\t\w+ = \w+\n)*\tobjectformat = (\w+)\n/i;

/** Real folders that git may use as the repository of a folder, in git's search order. */
function gitFoldersOf(folder: string): readonly string[] {
  const dotGit = join(folder, ".git");
  const found = statOf(dotGit);
  const link = found?.isFile() ? /^gitdir: ([\s\S]+)$/.exec(readIfThere(dotGit) ?? "")?.[1] : undefined;
  // A path that is not text is unknown: use the `.git` file itself, which is not a repository.
  const named = found?.isDirectory() ? realOf(dotGit) : link?.includes(NO_TEXT) ? dotGit : link && ledTo(folder, link);
  // Git treats a folder that looks like a bare repository as one.
  const common = lstatOf(join(folder, "HEAD")) && commonOf(folder);
  const isBare = common !== undefined && ["objects", "refs"].every((name) => existsSync(join(common, name)));
  return [...(named ? [named] : []), ...(isBare ? [folder] : [])];
}

/** The folder with the history that this repository shares with others; `undefined` if missing. */
function commonOf(gitDir: string): string | undefined {
  const common = readIfThere(join(gitDir, "commondir"));
  return common === undefined ? gitDir : ledTo(gitDir, common);
}

/** The replacement character for bytes that are not text. */
const NO_TEXT = "\uFFFD";

/** The real path that a git file names. Removes only the line ends at its end. */
const ledTo = (folder: string, text: string): string | undefined => {
  const path = text.replace(/[\r\n]+$/, "");
  return realOf(isAbsolute(path) ? path : `${folder}/${path}`);
};

/** Follows every link before any `..` after it. */
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

/** Whether the short name of a ref begins with a dash. Refs in git's newer reftable format are unknown, so that counts. */
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
