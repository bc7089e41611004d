import type { PathFold } from "../pattern/path-fold.ts";

/**
 * Folders whose files run by themselves or govern tools: version control, editors, package managers, agents. A name of
 * several parts is a folder in a folder.
 */
export const PROTECTED_FOLDERS: readonly string[] = [
  ".git",
  ".config/git",
  ".config/haft",
  ".local/state/haft",
  ".haft",
  ".claude",
  ".agents",
  ".vscode",
  ".idea",
  ".husky",
  ".cargo",
  ".devcontainer",
  ".yarn",
  ".mvn",
];

/** Folders inside the above that hold ordinary work. */
export const UNPROTECTED_FOLDERS: readonly string[] = [".claude/worktrees", ".haft/worktrees"];

/** Files that run by themselves or govern tools, wherever they lie. */
export const PROTECTED_FILES: readonly string[] = [
  ...[".gitconfig", ".gitmodules"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout", ".profile", ".envrc"],
  ...[".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout"],
  ...[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".bunfig.toml",
  ],
  ...[".bazelrc", ".bazelversion", ".bazeliskrc"],
  ...[".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml"],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml", ".lefthook-local.yml"],
  ...["gradle-wrapper.properties", "maven-wrapper.properties"],
  ...[".devcontainer.json", ".ripgreprc", "pyrightconfig.json", ".mcp.json", ".claude.json"],
];

/** Where a machine keeps its programs, and what every one of them loads or is told at its start. A workspace may be the root. */
const SYSTEM_PROGRAMS =
  /^\/(?:(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:32|64|x32|exec)?)|etc\/(?:ld\.so\.[^/]*|profile(?:\.d)?|bash\.bashrc|environment))(?=\/|$)/;

/**
 * What of `.git` runs or governs; `commondir` makes git take its configuration from another folder. The rest of it is what
 * git itself writes in ordinary work.
 */
const GIT_CONTROLS: readonly string[] = ["hooks", "config", "config.worktree", "commondir", "info/attributes"];

/** Knows protected paths. */
export interface ProtectedPaths {
  /** The protected name that a path lies in or bears. */
  nameOf(path: string): string | undefined;
  /**
   * Whether a path below a writable folder has to stay read-only for programs. As `nameOf`, except that git may do its
   * ordinary work in `.git`.
   */
  isHeldOut(path: string): boolean;
}

/** Protected paths as the platform compares names. */
export function protectedPaths(platform: PathFold): ProtectedPaths {
  // A disk that ignores case can be mounted anywhere, and nobody means another folder by `.GIT`.
  const fold = { path: (path: string): string => platform.path(path).toLowerCase() };
  const folders = PROTECTED_FOLDERS.map((name) => ({ name, parts: fold.path(name).split("/") }));
  const byFirst = Map.groupBy(folders, ({ parts }) => parts[0] ?? "");
  const free = UNPROTECTED_FOLDERS.map((name) => fold.path(name).split("/"));
  const files = new Map(PROTECTED_FILES.map((name) => [fold.path(name), name]));

  const find = (path: string): { name: string; rest: readonly string[] } | undefined => {
    const parts = fold.path(path).split("/");
    for (let index = 1; index < parts.length; index++) {
      const folder = byFirst.get(parts[index] ?? "")?.find((entry) => startsAt(parts, index, entry.parts));
      if (folder && !free.some((entry) => startsAt(parts, index, entry) && parts.length > index + entry.length))
        return { name: folder.name, rest: parts.slice(index + folder.parts.length) };
    }
    const name = files.get(parts.at(-1) ?? "") ?? SYSTEM_PROGRAMS.exec(path)?.[0];
    return name === undefined ? undefined : { name, rest: [] };
  };
  return {
    nameOf: (path) => find(path)?.name,
    isHeldOut(path) {
      const found = find(path);
      if (found?.name !== ".git" || found.rest.length === 0) return found !== undefined;
      return governsGit(found.rest.join("/"));
    },
  };
}

/** Submodules and worktrees keep hooks and config of their own below `.git`. */
const governsGit = (rest: string): boolean =>
  GIT_CONTROLS.some((name) => rest === name || rest.startsWith(`${name}/`)) ||
  (/^(?:modules|worktrees)\//.test(rest) && GIT_CONTROLS.some((name) => `${rest}/`.includes(`/${name}/`)));

const startsAt = (parts: readonly string[], index: number, wanted: readonly string[]): boolean =>
  wanted.every((part, offset) => parts[index + offset] === part);
