import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { type Bound, basename, isWithin, parent, type RunEffect, resolve } from "@haft/core/tool";
import { isWorthHiding } from "./hidden.ts";
import { exactPaths, realPaths } from "./real.ts";
import { toolchainsOf } from "./toolchains.ts";
import { isOpaque } from "./writable.ts";

/** System folders that all programs need. Any other top folder is personal, or made for some work. */
const SYSTEM = /^(?:bin|boot|dev|etc|gnu|lib\d*|libx32|lost\+found|nix|opt|proc|run|sbin|snap|sys|usr|var)$/;

/** Settings of git and search tools, which programs that only read look up in a home. */
const SETTINGS: readonly string[] = [".gitconfig", ".config/git", ".config/fd", ".terminfo"];

/** Programs that look up other programs by their arguments. */
const LOOKS_UP: ReadonlySet<string> = new Set(["which", "type", "command", "whereis", "hash"]);

/** The name by which a call refers to a readable path, and its real path. */
export interface Alias {
  readonly path: string;
  readonly target: string;
}

/** Folders of personal files. A program sees only its granted paths in them; one with unknown effects also sees toolchains. */
export interface Personal {
  readonly folders: readonly string[];
  /** Paths that stay visible. */
  readonly shown: readonly string[];
  /** Working directories of the program, empty otherwise. */
  readonly entered: readonly string[];
  /** Links in `folders` on the way to shown paths. */
  readonly aliases: readonly Alias[];
}

interface PersonalRequest {
  readonly bound: Bound;
  readonly home: string;
  /** The workspace and its further folders, real. */
  readonly roots: readonly string[];
  /** Further visible paths. */
  readonly names: readonly string[];
  readonly searchPath?: string | undefined;
}

/** No personal folders: the whole machine is visible except private places. */
export const NOTHING_PERSONAL: Personal = { folders: [], shown: [], entered: [], aliases: [] };

/**
 * A link in the workspace can lead anywhere, and a program that walks many names follows it. So outside the workspace and the
 * system folders, only paths granted by name are visible. A link to anything else dangles.
 */
export function personalPlaces({ bound, home, roots, names, searchPath }: PersonalRequest): Personal {
  if (bound.effects.length === 0) return NOTHING_PERSONAL;
  const isUnread = isOpaque(bound);
  const runs = bound.effects.filter((effect): effect is RunEffect => effect.do === "run");
  const reads = bound.effects.flatMap((effect) => (effect.do === "read" || effect.do === "write" ? [effect] : []));
  const settings = [...SETTINGS.map((name) => `${home}/${name}`), ...gitFilesOf(home)];
  const programs = programsOf(runs, searchPath);
  const given = [
    ...realPaths([...roots, ...names, ...settings, ...repositoriesOf(roots)]),
    ...exactPaths(reads.map(({ path }) => path)),
    ...(isUnread ? realPaths([...toolchainsOf(home, searchPath), ...programs.map(parent)]) : []),
  ];
  const isNeeded = (folder: string) =>
    given.some((path) => isWithin(path, folder)) || (!isUnread && programs.some((path) => isWithin(folder, path)));
  const places = isUnread ? realPaths([home]).filter((path) => path !== "/") : outer(placesOf(home));
  const folders = places.filter((path) => !isNeeded(path) && isWorthHiding({ path, isFolder: true }));
  const isIn = (path: string) => folders.some((folder) => isWithin(folder, path));
  const shown = outer(given.filter(isIn));
  const isShown = (path: string) => shown.some((one) => isWithin(one, path));
  const entered = realPaths(runs.map(({ cwd }) => cwd)).filter((path) => isIn(path) && !isShown(path));
  const called = [...reads.map(({ as, path }) => as ?? path), ...runs.map(({ cwd }) => cwd)];
  const aliases = called.flatMap((name) => aliasIn(name, folders, shown) ?? []);
  return {
    folders,
    shown,
    entered: [...new Set(entered)],
    aliases: [...new Map(aliases.map((one) => [one.path, one])).values()],
  };
}

function placesOf(home: string): readonly string[] {
  const top = readdirSync("/", { withFileTypes: true }).filter((one) => one.isDirectory() && !SYSTEM.test(one.name));
  const homes = /^(?:home|Users)$/.test(basename(parent(home))) ? parent(home) : home;
  return realPaths([...top.map(({ name }) => `/${name}`), "/var/tmp", homes]).filter((path) => path !== "/");
}

const outer = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));

/** The first link on the way to a name, if its target would be missing. */
function aliasIn(name: string, folders: readonly string[], shown: readonly string[]): Alias | undefined {
  const folder = folders.find((one) => isWithin(one, name));
  if (folder === undefined) return undefined;
  const below = name.slice(folder.length).split("/").filter(Boolean);
  let path = folder;
  for (const segment of below) {
    path = `${path}/${segment}`;
    if (shown.some((one) => isWithin(one, path))) return undefined;
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
    const [target] = realPaths([path]);
    return target === undefined ? undefined : { path, target };
  }
  return undefined;
}

/** The real paths of a command's programs. Those among personal files stay visible. */
function programsOf(runs: readonly RunEffect[], searchPath = ""): readonly string[] {
  const names = new Set(runs.flatMap(({ argv, wrappers = [] }) => [...wrappers, ...wordsOf(argv), "bash"]));
  const folders = searchPath.split(":").filter((folder) => folder.startsWith("/"));
  return realPaths(
    [...names].flatMap((name) => (name.includes("/") ? [name] : folders.map((folder) => `${folder}/${name}`))),
  );
}

const wordsOf = (argv: readonly string[]): readonly string[] =>
  LOOKS_UP.has(basename(argv[0] ?? "")) ? argv : argv.slice(0, 1);

/** Files that the user's git configuration refers to. */
const gitFilesOf = (home: string): readonly string[] =>
  [`${home}/.gitconfig`, `${home}/.config/git/config`].flatMap((config) =>
    [...textOf(config).matchAll(/^\s*(?:excludesfile|attributesfile|path)\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map((match) =>
      resolve(parent(config), (match[1] ?? "").replace(/^~\//, `${home}/`)),
    ),
  );

/** Outside repositories that the workspace depends on: it is a linked worktree, or borrows objects. */
function repositoriesOf(roots: readonly string[]): readonly string[] {
  return roots.flatMap((root) => [...worktreeOf(root), ...borrowedBy(root)]);
}

/** A worktree and its repository must name each other: a file that only points there could be planted. */
function worktreeOf(root: string): readonly string[] {
  const own = /^gitdir: (\/.+)$/m.exec(textOf(`${root}/.git`))?.[1];
  if (own === undefined || textOf(`${own}/gitdir`).trim() !== `${root}/.git`) return [];
  return [resolve(own, textOf(`${own}/commondir`).trim() || ".")];
}

const borrowedBy = (root: string): readonly string[] =>
  textOf(`${root}/.git/objects/info/alternates`)
    .split("\n")
    .filter((path) => /^\/.*\/objects$/.test(path) && realPaths([`${path}/pack`, `${path}/info`]).length === 2);

function textOf(path: string): string {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
