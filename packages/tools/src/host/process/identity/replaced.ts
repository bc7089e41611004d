import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { textOfFile } from "../../whole-file.ts";
import { type EnvironmentOptions, environmentOf } from "../environment.ts";

/** What asdf and mise keep for each project, in a folder or one above it: there, behind such a word, may stand a folder with programs of its own. */
const CHOICES: readonly (readonly [file: string, word: string])[] = [
  [".tool-versions", "path:"],
  ...[
    ...["mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml"],
    ...["mise/config.toml", ".mise/config.toml", ".config/mise.toml", ".config/mise/config.toml"],
  ].map((file) => [file, "path"] as const),
];

/** Folders below the home folder with the programs that they start. */
const KEPT: readonly string[] = [".asdf", ".local/share/mise"];

const MOST_LEVELS = 64;
const MOST_BYTES = 256 * 1024;

type Environment = Readonly<Record<string, string>>;

/**
 * Tells whether a project has a program of its own started in place of one that is asked for, see `Processes.replaced`. Most machines have
 * nothing that heeds such a choice: that is found out once for each PATH, since every command waits for it.
 */
export function createReplaced(options: EnvironmentOptions = {}): (folder: string) => string | undefined {
  const { base = process.env } = options;
  let known: { readonly path: string | undefined; readonly heeding: Environment | undefined } | undefined;
  return (folder) => {
    const path = options.set?.PATH ?? base.PATH;
    if (known?.path !== path || known === undefined) known = { path, heeding: heedingOf(environmentOf(options)) };
    return known.heeding && choiceAbove(folder, known.heeding);
  };
}

const heedingOf = (env: Environment): Environment | undefined => (mayHeed(env) ? env : undefined);

/**
 * Both put a folder of this name into the PATH, and so do pyenv and its like, which choose among what is installed. A link to a program in it
 * may lie anywhere: so where there is one of the two, it counts.
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

/** What a person chose for all projects, in the home folder, is no choice of a project. */
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

/** What cannot be read may. */
function mayName(file: string, word: string): boolean {
  try {
    return textOfFile(file, MOST_BYTES)?.includes(word) ?? false;
  } catch {
    return true;
  }
}
