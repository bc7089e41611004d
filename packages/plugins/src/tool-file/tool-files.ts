import { lstatSync, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { join, sep } from "node:path";
import type { Tool } from "@haft/core/tool";
import { loadToolFile } from "./load-tool-file.ts";

/** A folder with tool files. `within`: links may not lead out of this folder. */
export interface ToolFolder {
  readonly folder: string;
  readonly within?: string;
}

export interface ToolFilesOptions {
  readonly folders: readonly ToolFolder[];
  /** Puts the tools of a file in place of its earlier ones; an empty list removes them. */
  onTools(file: string, tools: readonly Tool[]): void;
  onProblem(message: string): void;
}

/** The tool files of a session. */
export interface ToolFiles {
  /** Loads every file that is new or has changed, and removes the tools of those that have gone. */
  refresh(): Promise<void>;
  close(): void;
}

/** Most files of a folder. */
const MOST_FILES = 200;

/** Milliseconds to wait after a change: an editor writes a file in several steps. */
const PAUSE_MS = 50;

/** The folders for tool files below a project and below a home. */
export const TOOL_FOLDER = ".haft/tools";
export const USER_TOOL_FOLDER = ".config/haft/tools";

/** Keeps the tools of some folders as their files are. Loads nothing before the first `refresh`. */
export function createToolFiles({ folders, onTools, onProblem }: ToolFilesOptions): ToolFiles {
  const known = new Map<string, string>();
  const watched = new Map<string, { close(): void }>();
  let loading: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  async function load(): Promise<void> {
    const found = new Map(folders.flatMap((folder) => filesIn(folder, onProblem)));
    for (const file of known.keys()) {
      if (found.has(file)) continue;
      known.delete(file);
      onTools(file, []);
    }
    for (const [file, stamp] of found) {
      if (isOver || known.get(file) === stamp) continue;
      known.set(file, stamp);
      const loaded = await loadToolFile(file, stamp);
      if ("problem" in loaded) onProblem(loaded.problem);
      if (!isOver) onTools(file, "tools" in loaded ? loaded.tools : []);
    }
  }

  function refresh(): Promise<void> {
    for (const { folder } of folders) follow(folder);
    loading = loading.then(load);
    return loading;
  }

  /** If a folder cannot be watched, changes count at the next request. */
  function follow(folder: string): void {
    if (isOver || watched.has(folder) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        clearTimeout(timer);
        timer = setTimeout(() => void refresh(), PAUSE_MS).unref();
      });
      watcher.on("error", () => watcher.close());
      watched.set(folder, watcher);
    } catch {
      // No more watches on this machine.
    }
  }

  return {
    refresh,
    close() {
      isOver = true;
      clearTimeout(timer);
      for (const watcher of watched.values()) watcher.close();
    },
  };
}

/** Whether a folder has a tool file. */
export const hasToolFiles = ({ folder }: ToolFolder): boolean => namesIn(folder).length > 0;

function filesIn({ folder, within }: ToolFolder, onProblem: (message: string) => void): [string, string][] {
  return namesIn(folder).flatMap((name): [string, string][] => {
    const file = join(folder, name);
    try {
      const real = realpathSync(file);
      const { mtimeMs, size } = statSync(real);
      if (within === undefined || real.startsWith(realpathSync(within) + sep)) return [[real, `${mtimeMs}-${size}`]];
      onProblem(`${file} is left out: it is a link to a place outside the project.`);
    } catch {
      onProblem(`${file} cannot be read.`);
    }
    return [];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    const isTool = (name: string) => /^[^.].*\.m?[jt]s$/.test(name) && !/\.d\.m?ts$|\.test\.m?[jt]s$/.test(name);
    return readdirSync(folder).filter(isTool).sort().slice(0, MOST_FILES);
  } catch {
    return [];
  }
}
