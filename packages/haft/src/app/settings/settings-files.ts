import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { modes, parseSettings, type SettingsLayer, type SettingsOrigin, type ToolNames } from "@haft/core/policy";
import { bytesOfFile, NotRead } from "@haft/host";
import JSON5 from "json5";
import { idleKeys } from "./idle-keys.ts";
import { lineFinder, mistakeIn } from "./line-finder.ts";
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

/** A larger file is not a settings file, and would take too long to read. */
const MOST_BYTES = 4_000_000;

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

/** Reads every existing settings file, strictly. An unreadable file is a layer with an error. */
export function readSettingsFiles(sources: SettingsSources): SettingsLayer[] {
  const { root, home } = sources;
  const places: [SettingsOrigin, string][] = [
    ["managed", sources.managed ?? MANAGED_FILE],
    ...(sources.withoutFolder ? [] : folderFiles(root)),
    ...(sources.withoutUser ? [] : [["user", userSettingsFile(home, sources.configHome)] as [SettingsOrigin, string]]),
  ];
  const found = places.filter(([, file]) => isThere(file));
  const layers = found.map(([origin, file]) => readLayer(origin, file, sources));
  // Named explicitly, so a missing file is an error.
  return sources.extra === undefined ? layers : [readLayer("cli", resolve(sources.extra), sources), ...layers];
}

function folderFiles(root: string): [SettingsOrigin, string][] {
  const local = localSettingsFile(root);
  return [
    [isOwn(local, root) ? "local" : "project", local],
    ["project", join(root, ".haft", "settings.json")],
  ];
}

/** Whether a path exists. One in a closed folder, or a dangling link, exists but cannot be read. */
function isThere(path: string): boolean {
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

function readLayer(origin: SettingsOrigin, file: string, { root, names }: SettingsSources): SettingsLayer {
  const broken = (message: string, cure: string, line?: number): SettingsLayer => ({
    origin,
    file,
    settings: {},
    rules: [],
    problems: [{ severity: "error", file, path: [], message, cure, ...(line === undefined ? {} : { line }) }],
  });
  let text: string;
  try {
    // A pipe named on the command line ends by itself, so it is read without a limit.
    const bytes = origin === "cli" ? readFileSync(file) : bytesOfFile(file, MOST_BYTES);
    if (bytes === undefined) return broken("The link is broken.", "Replace it with a file, or remove it.");
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof NotRead)
      return broken(`${thrown.message}.`, "Replace it with a settings file, or remove it.");
    if (thrown instanceof TypeError)
      return broken("The file is not UTF-8, so its rules could be misread.", "Save it as UTF-8.");
    return broken(`The file cannot be read: ${(thrown as Error).message}.`, "Make it readable, or remove it.");
  }
  try {
    const mistake = mistakeIn(text);
    if (mistake) return broken(mistake.message, mistake.cure, mistake.line);
    const base = origin === "project" || origin === "local" ? root : dirname(file);
    const layer = parseSettings(JSON5.parse(text), {
      origin,
      file,
      lineOf: lineFinder(text),
      ...(names ? { names } : {}),
      // createHaft checks whether this machine can support a mode.
      modes,
      resolvePath: (path) => (path.startsWith("~/") ? path : resolve(base, path)),
    });
    return { ...layer, problems: [...layer.problems, ...idleKeys(layer)] };
  } catch (thrown) {
    const { message, lineNumber } = thrown as Error & { lineNumber?: number };
    return broken(
      `This is not JSON5: ${message.replace(/^JSON5: /, "")}.`,
      "Correct the file; until then nothing runs without asking.",
      lineNumber,
    );
  }
}
