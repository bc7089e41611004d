import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Settings, Workspace } from "@haft/core/policy";

/** The nearest folder upwards that has settings or is a git root; else the folder itself. */
export function projectRoot(cwd: string): string {
  for (let current = cwd; ; current = dirname(current)) {
    if (existsSync(join(current, ".haft")) || existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return cwd;
  }
}

/** The workspace of a session that starts in `cwd` (absolute, real). */
export function workspaceOf(cwd: string, home: string, settings: Settings, readable: readonly string[]): Workspace {
  const added = [...(settings.additionalDirectories ?? []), ...(settings.bash?.allowedDirectories ?? [])];
  return {
    root: projectRoot(cwd),
    startedIn: cwd,
    cwd,
    home,
    additional: added.map((path) => real(resolve(cwd, expandHome(path, home)))),
    readable,
    platform: process.platform,
  };
}

/** The workspace on another host, whose disk cannot be looked at yet. */
export const hostWorkspace: typeof workspaceOf = (cwd, home, settings, readable) => ({
  ...{ root: cwd, startedIn: cwd, cwd, home, readable, platform: "linux" },
  additional: [...(settings.additionalDirectories ?? []), ...(settings.bash?.allowedDirectories ?? [])].map((path) =>
    resolve(cwd, expandHome(path, home)),
  ),
});

/** The real path. A folder that does not exist yet keeps its path as written. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export const expandHome = (path: string, home: string): string =>
  path === "~" || path.startsWith("~/") ? join(home, path.slice(2)) : path;
