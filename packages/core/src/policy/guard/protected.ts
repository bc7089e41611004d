import { type Starter, starterLookup } from "./starter-lookup.ts";

/** Folders of a machine's programs, and the files that every program loads or reads at its start. The workspace may be the root. */
const SYSTEM_PROGRAMS =
  /^\/(?:(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:32|64|x32|exec)?)|etc\/(?:ld\.so\.[^/]*|profile(?:\.d)?|bash\.bashrc|environment))(?=\/|$)/;

/**
 * The parts of `.git` that run or govern; `commondir` makes git take its configuration from another folder. Git writes
 * the other parts in ordinary work.
 */
const GIT_CONTROLS: readonly string[] = ["hooks", "config", "config.worktree", "commondir", "info/attributes"];

/** Recognizes protected paths. */
export interface ProtectedPaths {
  /** The protected name of a path, or of a folder that contains it. */
  nameOf(path: string): string | undefined;
  /**
   * Whether a path below a writable folder has to stay read-only for programs. Like `nameOf`, except that git may do
   * its ordinary work in `.git`.
   */
  isHeldOut(path: string): boolean;
}

/** Protected paths, in every spelling that some disk treats as equal. */
export function protectedPaths(): ProtectedPaths {
  const lookup = starterLookup();
  const find = (path: string): Pick<Starter, "name" | "rest"> | undefined => {
    const found = lookup(path);
    if (found?.guard === "held") return found;
    const program = SYSTEM_PROGRAMS.exec(path)?.[0];
    return program === undefined ? undefined : { name: program, rest: [] };
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
