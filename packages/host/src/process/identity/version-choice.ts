import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { textOfFile } from "../../whole-file.ts";
import { type EnvironmentOptions, environmentOf } from "../environment.ts";

/** Per-project files of asdf and mise, in a folder or one above it. After such a word they may name a folder with its own programs. */
const CHOICES: readonly (readonly [file: string, word: string])[] = [
  [".tool-versions", "path:"],
  ...[
    ...["mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml"],
    ...["mise/config.toml", ".mise/config.toml", ".config/mise.toml", ".config/mise/config.toml"],
  ].map((file) => [file, "path"] as const),
];

/** Folders below the home folder with the programs that asdf and mise start. */
const KEPT: readonly string[] = [".asdf", ".local/share/mise"];

const MOST_LEVELS = 64;
const MOST_BYTES = 256 * 1024;

type Environment = Readonly<Record<string, string>>;

/**
 * Tells whether a project may replace a requested program by its own, see `Processes.replaced`. Most machines do not have a tool
 * that obeys such a choice. That is checked once for each PATH, since every command waits for it.
 */
export function createChoiceFinder(options: EnvironmentOptions = {}): (folder: string) => string | undefined {
  const { base = process.env } = options;
  let known: { readonly path: string | undefined; readonly heeding: Environment | undefined } | undefined;
  return (folder) => {
    const path = options.set?.PATH ?? base.PATH;
    if (known?.path !== path || known === undefined) known = { path, heeding: heedingOf(environmentOf(options)) };
    return known.heeding && choiceAbove(folder, known.heeding);
  };
}

/** Whether anything on this machine lets a project replace programs, so that `createChoiceFinder` may ever find a file. */
export const heedsChoices = (options: EnvironmentOptions = {}): boolean => mayHeed(environmentOf(options));

const heedingOf = (env: Environment): Environment | undefined => (mayHeed(env) ? env : undefined);

/**
 * asdf and mise both put a folder of this name into the PATH. So do pyenv and similar tools, which only choose among installed
 * programs. A link to a program in it may be anywhere, so either of the two being installed counts.
 */
const mayHeed = (env: Environment): boolean =>
  Object.keys(env).some((name) => /^(ASDF|MISE)_/.test(name)) ||
  (env.PATH ?? "").split(":").some((folder) => /(?<!env)\/shims$/.test(realOf(folder))) ||
  KEPT.some((folder) => existsSync(join(env.HOME ?? "/", folder)));

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** A choice in the home folder, for all projects, is the person's and not a project's. */
function choiceAbove(folder: string, env: Environment): string | undefined {
  const own = env.ASDF_TOOL_VERSIONS_FILENAME ?? env.ASDF_DEFAULT_TOOL_VERSIONS_FILENAME;
  const choices = own === undefined ? CHOICES : [...CHOICES, [own, "path:"] as const];
  let current = folder;
  for (let level = 0; level < MOST_LEVELS && current !== env.HOME; level++) {
    const found = choices.find(([file, word]) => mayName(join(current, file), word));
    if (found) return join(current, found[0]);
    if (dirname(current) === current) return undefined;
    current = dirname(current);
  }
  return undefined;
}

/** Whether a file may contain the word. An unreadable file may. */
function mayName(file: string, word: string): boolean {
  try {
    return textOfFile(file, MOST_BYTES)?.includes(word) ?? false;
  } catch {
    return true;
  }
}
