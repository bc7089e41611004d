import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, sep } from "node:path";
import type { ToolNames } from "@haft/core/policy";
import type { Skill } from "@haft/core/tool";
import { readSkill, type SkillPlace } from "./read-skill.ts";
import { namesIn, type SkillRoot } from "./skill-roots.ts";

/** Most skills of a folder, and most bytes of a file in which frontmatter is looked for. */
const MOST_SKILLS = 500;
const MOST_HEAD = 64 * 1024;

export interface SkillSources {
  readonly roots: readonly SkillRoot[];
  readonly names: ToolNames;
  /** Receives what is ignored, with the file. */
  readonly onProblem: (message: string) => void;
}

/** All skills of these folders by name. The first of a name counts; the others are reported. */
export function loadSkills({ roots, names, onProblem }: SkillSources): ReadonlyMap<string, Skill> {
  const skills = new Map<string, Skill>();
  for (const root of roots) {
    for (const place of placesIn(root, names, onProblem)) {
      const text = headOf(place.file);
      const read = text === undefined ? { problem: "it cannot be read" } : readSkill(text, place);
      if ("problem" in read) {
        onProblem(`${quoted(place.file)} is not a skill: ${read.problem}.`);
        continue;
      }
      const { skill, notes } = read;
      const first = skills.get(skill.name);
      if (first?.file === skill.file) continue;
      if (first)
        onProblem(`${quoted(skill.file)} is left out: the skill ${skill.name} is already in ${quoted(first.file)}.`);
      else skills.set(skill.name, skill);
      if (notes.length > 0) onProblem(`${quoted(skill.file)}: ${notes.join("; ")}.`);
    }
  }
  return skills;
}

/** Whether there is any skill in these folders. */
export const hasSkills = (roots: readonly SkillRoot[]): boolean =>
  roots.some(({ folder }) => namesIn(folder).length > 0);

/** Changes whenever a skill in these folders may have changed. */
export const skillStamp = (roots: readonly SkillRoot[]): string =>
  roots
    .flatMap(({ folder, files }) => {
      const names = files ? pagesIn(folder) : namesIn(folder);
      return names.map((name) => stampOf(files ? join(folder, name) : join(folder, name, "SKILL.md")));
    })
    .join("|");

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${file}:${found.mtimeMs}:${found.size}` : file;
}

function placesIn(
  { folder, source, prefix, within, files, answers }: SkillRoot,
  names: ToolNames,
  onProblem: SkillSources["onProblem"],
): SkillPlace[] {
  const found = files ? pagesIn(folder) : namesIn(folder);
  if (found.length > MOST_SKILLS) onProblem(`${quoted(folder)} has ${found.length} entries; ${MOST_SKILLS} are read.`);
  return found.slice(0, MOST_SKILLS).flatMap((name): SkillPlace[] => {
    const file = files ? join(folder, name) : fileIn(join(folder, name));
    if (file === undefined) return [];
    const real = realPlace(file, within ?? undefined, files === true);
    if (real === undefined) {
      onProblem(`${quoted(file)} is not a skill: it is a link to a place outside its folder.`);
      return [];
    }
    const fallback = files ? basename(name, extname(name)) : name;
    const inside = files && dirname(name) !== "." ? dirname(name).replaceAll(sep, ":") : undefined;
    const before = [prefix, inside].filter((part) => part !== undefined).join(":");
    return [
      {
        ...{ file: real, folder: dirname(real), fallback, source, names },
        ...(before === "" ? {} : { prefix: before }),
        ...(files ? { isCommand: true } : {}),
        ...(answers ? { answers } : {}),
      },
    ];
  });
}

/** The file's real path. `undefined` if it lies outside of its skill's folder, or that outside of the project. */
function realPlace(file: string, within: string | undefined, isAlone: boolean): string | undefined {
  try {
    const real = realpathSync(file);
    const folder = realpathSync(dirname(file));
    const holder = within === undefined ? folder : realpathSync(within);
    const isInside = isAlone || real.startsWith(folder + sep);
    return isInside && (within === undefined || real.startsWith(holder + sep)) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The specification wants capitals; some write the name in lower case. */
function fileIn(folder: string): string | undefined {
  return ["SKILL.md", "skill.md"].map((name) => join(folder, name)).find((file) => isThere(file));
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file).isFile() || lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Most levels of folders below one with commands. */
const MOST_LEVELS = 4;

/** The Markdown and TOML files of a folder and its subfolders, relative to it. */
function pagesIn(folder: string, level = 0): readonly string[] {
  return namesIn(folder).flatMap((name) => {
    if (/\.(?:md|toml)$/.test(name)) return [name];
    return level < MOST_LEVELS && isFolder(join(folder, name))
      ? pagesIn(join(folder, name), level + 1).map((page) => join(name, page))
      : [];
  });
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The beginning of a file, in which its frontmatter must end. A pipe or a device is not read. */
function headOf(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return undefined;
    const handle = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(MOST_HEAD);
      return bytes.toString("utf8", 0, readSync(handle, bytes, 0, MOST_HEAD, 0));
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** A name from a stranger's folder, without what a terminal would obey. */
const quoted = (path: string): string => JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
