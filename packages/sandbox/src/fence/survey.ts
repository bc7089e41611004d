import { isSecretName, PROTECTED_FILES } from "@haft/core/policy";
import { basename, isWithin, parent } from "@haft/core/tool";
import type { Guards } from "./guards.ts";
import { outermostPlaces, type RealPlace } from "./real.ts";
import { join, type Tree, type TreeEntry } from "./tree.ts";

/** The places of a tree that need protection. All paths absolute. */
export interface Survey {
  /** Files and folders that stay as they are. */
  readonly held: readonly string[];
  /** Folders inside held ones that are ordinary work again. */
  readonly reopened: readonly string[];
  /** Folders that must keep their place and name, since they contain held files. */
  readonly anchored: readonly string[];
  /** Protected names that are symbolic links: a link cannot be held, only its target. */
  readonly links: readonly string[];
  /** Folders that are missing, harmless when empty, and dangerous when filled. */
  readonly sealed: readonly string[];
  readonly hidden: readonly RealPlace[];
}

/**
 * Private places in a tree, for programs that change nothing. Everything else that is held concerns writers. `closedIn` finds
 * what rules close.
 */
export function hiddenIn(tree: Tree, guards: Guards): readonly RealPlace[] {
  const hidden = secretsIn(tree, guards);
  const isHidden = (path: string): boolean => hidden.some((outer) => isWithin(outer.path, path));
  const keys = tree.keys.filter((path) => !guards.isOpened(path) && !isHidden(path)).slice(0, MAX_KEYS);
  return [...hidden, ...keys.map((path) => ({ path, isFolder: false }))];
}

/** Each hidden key is a mount. If there are more, they are samples for tests, and the deepest stay visible. */
const MAX_KEYS = 100;

const secretsIn = (tree: Tree, guards: Guards): readonly RealPlace[] =>
  outermostPlaces(tree.secrets.filter(({ path }) => !guards.isOpened(path)));

/** A name that no rule contains: a pattern that matches it matches everything in the folder. */
const ANYTHING = "\u0001any";
const FILE_NAMES: ReadonlySet<string> = new Set(PROTECTED_FILES.map((name) => name.toLowerCase()));
/** Names that some file system spells differently. */
const IS_ODD = /[~:]|[^\0-\x7f]|[. ]$/;
const mayBeProtected = (name: string): boolean =>
  name.startsWith(".") || FILE_NAMES.has(name.toLowerCase()) || IS_ODD.test(name);

/** Finds protected and private paths of a tree, and those in a hole. */
export function survey(tree: Tree, guards: Guards): Survey {
  const found = { held: [], reopened: [], anchored: [], links: [], sealed: [], hidden: [] } as Found;
  const { protectedPaths, holes } = guards;
  const inHole = (access: "read" | "write", path: string): boolean =>
    holes.some((hole) => hole.do === access && hole.matches(path));
  const isHeld = (path: string): boolean =>
    (protectedPaths.isHeldOut(path) && !guards.isGranted(path)) || inHole("write", path);
  const isAllHeld = (path: string): boolean =>
    isHeld(join(path, ANYTHING)) && isHeld(`${path}/${ANYTHING}/${ANYTHING}`);
  const isHidden = (path: string, { name, kind }: TreeEntry): boolean => {
    if (isSecretName(name) && !guards.isOpened(path)) return true;
    if (holes.length === 0) return false;
    if (kind !== "folder") return inHole("read", path);
    return inHole("read", path) || (inHole("read", join(path, ANYTHING)) && inHole("read", `${path}/${ANYTHING}/x`));
  };

  const visit = (folder: string): void => {
    const mayHold = holes.length > 0 || basename(folder).startsWith(".") || folder.includes("/.git/");
    for (const entry of tree.folders.get(folder) ?? []) {
      const path = join(folder, entry.name);
      const isFolder = entry.kind === "folder";
      if (mayHold || mayBeProtected(entry.name)) {
        if (isHidden(path, entry)) {
          found.hidden.push({ path, isFolder });
          continue;
        }
        // `dist/**` means the content of the folder, new files included.
        if (isHeld(path) || (isFolder && holes.length > 0 && isAllHeld(path))) {
          if (entry.kind === "link") found.links.push(path);
          else if (!isFolder || isAllHeld(path)) found.held.push(path);
          else found.anchored.push(path);
          if (isFolder && isAllHeld(path)) {
            reopen(path);
            continue;
          }
        }
      }
      if (isFolder) visit(path);
    }
  };
  const reopen = (folder: string): void => {
    for (const { name, kind } of tree.folders.get(folder) ?? []) {
      const path = join(folder, name);
      if (kind !== "folder" || isAllHeld(path)) continue;
      found.reopened.push(path);
      visit(path);
    }
  };

  visit(tree.root);
  for (const path of found.anchored) if (lacksHooks(tree, path)) found.sealed.push(join(path, "hooks"));
  const fixed = [...found.held, ...found.sealed, ...found.anchored, ...found.links];
  const ancestors = new Set(fixed.flatMap((path) => foldersBetween(tree.root, path)));
  return { ...found, anchored: [...new Set([...found.anchored, ...ancestors])] };
}

type Found = { [Key in keyof Survey]: Survey[Key] extends readonly (infer Item)[] ? Item[] : never };

/** A repository without a hooks folder. Git usually makes an empty one itself, so one more does no harm. */
function lacksHooks(tree: Tree, path: string): boolean {
  const names = basename(path) === ".git" ? tree.folders.get(path)?.map(({ name }) => name) : undefined;
  return names?.includes("HEAD") === true && !names.includes("hooks");
}

/** The folders above `path` and below `root`. */
function foldersBetween(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = parent(path); folder !== root && isWithin(root, folder); folder = parent(folder))
    folders.push(folder);
  return folders;
}
