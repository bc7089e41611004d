import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "@haft/core/tool";

/** The files of one folder, in their order. `CLAUDE.local.md` is a person's own and comes last. */
const NAMES: readonly string[] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

export interface InstructionPlaces {
  /** Absent: no file of the user is read. */
  readonly home?: string | undefined;
  readonly configHome?: string | undefined;
  /** The project's folder. Absent: no file of the project is read. */
  readonly root?: string | undefined;
  readonly cwd: string;
}

/** The user's instruction files that exist. */
export function userFiles({ home, configHome }: InstructionPlaces): readonly string[] {
  if (home === undefined) return [];
  const config = join(configHome ?? join(home, ".config"), "haft");
  return [join(config, "AGENTS.md"), join(home, ".claude", "CLAUDE.md")].filter((file) => existsSync(file));
}

/** The project's instruction files that exist, from its root down to the working folder: the nearest come last. */
export function projectFiles({ root, cwd }: InstructionPlaces): readonly string[] {
  if (root === undefined) return [];
  const folders = [cwd];
  while (isWithin(root, cwd) && folders[0] !== root) folders.unshift(dirname(folders[0]!));
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).filter((file) => existsSync(file));
}
