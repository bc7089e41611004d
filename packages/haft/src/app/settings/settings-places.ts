import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { SettingsOrigin, ToolNames } from "@haft/core/policy";
import { localSettingsFile } from "./local-file.ts";

export interface SettingsSources {
  /** The folder that holds `.haft/`. */
  readonly root: string;
  readonly home: string;
  /** Leave the files of the folder out. */
  readonly withoutFolder?: boolean;
  /** Leave the user's file out. The managed file is never left out. */
  readonly withoutUser?: boolean;
  /** One more file, named on the command line. */
  readonly extra?: string;
  /** The path of the managed file. Default `/etc/haft/settings.json`. */
  readonly managed?: string;
  readonly configHome?: string;
  /** The tools that settings and rules may name. Default: the built-in ones. */
  readonly names?: ToolNames;
}

/** The file in which projects list their MCP servers. Other programs read it too. */
export const MCP_JSON = ".mcp.json";

/** Milliseconds for git, which normally needs a few. It would wait forever for a pipe in its folder. */
const GIT_MS = 5_000;

/** The administrator's file on Linux and macOS. */
const MANAGED_FILE = "/etc/haft/settings.json";

/** The user's own settings file. A relative config folder is ignored, since it would be inside the project. */
export const userSettingsFile = (home: string, configHome = process.env.XDG_CONFIG_HOME): string =>
  join(
    configHome !== undefined && isAbsolute(configHome) ? configHome : join(home, ".config"),
    "haft",
    "settings.json",
  );

/** The settings files that exist, strongest first. The one named on the command line is not among them. */
export function existingFiles(sources: SettingsSources): [SettingsOrigin, string][] {
  const places: [SettingsOrigin, string][] = [
    ["managed", sources.managed ?? MANAGED_FILE],
    ...(sources.withoutFolder ? [] : folderFiles(sources.root)),
    ...(sources.withoutUser
      ? []
      : [["user", userSettingsFile(sources.home, sources.configHome)] as [SettingsOrigin, string]]),
  ];
  return places.filter(([, file]) => isThere(file));
}

function folderFiles(root: string): [SettingsOrigin, string][] {
  const local = localSettingsFile(root);
  return [
    [isOwn(local, root) ? "local" : "project", local],
    ["project", join(root, ".haft", "settings.json")],
  ];
}

/** Whether a path exists. One in a closed folder, or a dangling link, exists but cannot be read. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

/**
 * Whether a local file is the user's own. A file that git tracks, in any repository upwards, or that is behind a link came
 * with the repository and counts as the project's. If git cannot tell, it also counts as the project's.
 */
export function isOwn(file: string, root: string): boolean {
  if (!isThere(file)) return true;
  return !isLink(dirname(file)) && !isLink(file) && (!isInRepository(root) || isUntracked(file, root));
}

/** Whether a path is a link. A path that cannot be inspected counts as one. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return true;
  }
}

function isInRepository(folder: string): boolean {
  return isThere(join(folder, ".git")) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
}

/**
 * Asks git in a folder that nobody has trusted yet. Its configuration may name a program as file system monitor, or as the
 * source of missing objects. Neither is started, and no variable sends git to another repository.
 */
function isUntracked(file: string, root: string): boolean {
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const { status } = spawnSync(
    "git",
    ["-C", root, "-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", file],
    {
      stdio: "ignore",
      timeout: GIT_MS,
      env: { ...Object.fromEntries(plain), GIT_ALLOW_PROTOCOL: "", GIT_NO_LAZY_FETCH: "1" },
    },
  );
  return status === 1;
}
