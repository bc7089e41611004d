import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders with skills below a project and below a home, the strongest first. */
export const SKILL_FOLDERS: readonly string[] = [".haft/skills", ".agents/skills", ".claude/skills"];
const USER_SKILL_FOLDERS: readonly string[] = [".config/haft/skills", ...SKILL_FOLDERS];

/** Folders with slash commands, each a Markdown or TOML file. */
export const COMMAND_FOLDERS: readonly string[] = [".haft/commands", ".claude/commands"];
const USER_COMMAND_FOLDERS: readonly string[] = [".config/haft/commands", ".claude/commands"];

/** A folder of skills: each has a folder of its own with a SKILL.md. */
export interface SkillRoot {
  readonly folder: string;
  readonly source: string;
  readonly prefix?: string;
  /** Real paths of its skills must lie below this one. Absent: links may lead elsewhere, as in a person's own folders. */
  readonly within?: string;
  /** The entries are Markdown or TOML files, as commands are written. */
  readonly files?: true;
  /** Texts in place of `${user_config.KEY}`. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** The folders for a session. A project's count before the user's; without `root` they do not count. */
export function skillRoots(home: string | undefined, root: string | undefined): readonly SkillRoot[] {
  const roots = (base: string, folders: readonly string[], more: Omit<SkillRoot, "folder">) =>
    folders.map((folder) => ({ ...more, folder: join(base, folder) }));
  const isProject = root !== undefined && root !== home;
  return [
    ...(isProject ? roots(root, SKILL_FOLDERS, { source: "project", within: root }) : []),
    ...(home === undefined ? [] : roots(home, USER_SKILL_FOLDERS, { source: "user" })),
    ...(isProject ? roots(root, COMMAND_FOLDERS, { source: "project", within: root, files: true }) : []),
    ...(home === undefined ? [] : roots(home, USER_COMMAND_FOLDERS, { source: "user", files: true })),
  ];
}

/** Folders that a model may read because skills are there: the roots, and the places to which links of a person lead. */
export const readableSkills = (roots: readonly SkillRoot[]): readonly string[] =>
  roots.flatMap(({ folder }) => {
    const names = namesIn(folder);
    return names.length === 0 ? [] : [folder, ...names.map((name) => join(folder, name))];
  });

/** The entries of a folder, without hidden ones; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}
