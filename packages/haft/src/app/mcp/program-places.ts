import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "@haft/core/tool";

/** A program with its command line and folder. */
export interface StartedProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Folders that a confined program sees as its own, empty version. */
const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp", "/run"];

/** Files that an interpreter runs. */
const SCRIPTS: ReadonlySet<string> = new Set(".js .mjs .cjs .ts .mts .py .rb .php .pl .sh .lua .jar .wasm".split(" "));

/** Files that mark the topmost folder of a program. */
const MARKS: readonly string[] = ["package.json", "pyproject.toml", "setup.py", "Gemfile", "composer.json"];

/**
 * The code of a command inside temporary folders: the program and its scripts, each with its installation. A sandbox has to
 * show these places, or it does not find the program. Places below `home` do not count, because private files stay hidden
 * there.
 */
export function programPlaces({ argv: [program = "", ...args], cwd, env }: StartedProgram, home: string): string[] {
  const scripts = args.filter((argument) => SCRIPTS.has(extname(argument))).map((argument) => resolve(cwd, argument));
  const named = [located(program, cwd, env.PATH ?? ""), ...scripts].filter((path) => path !== undefined);
  const files = [...new Set(named.flatMap((path) => [path, realOf(path)]))].filter(isFile);
  return [...new Set(files.flatMap(installation))].filter((place) => !isWithin(realOf(home), realOf(place)));
}

/** The path of a program that is named with or without a path. */
function located(program: string, cwd: string, path: string): string | undefined {
  if (program.includes("/")) return resolve(cwd, program);
  const folders = path.split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, program)).find(isFile);
}

/** The installation folders of a file in a temporary folder; none for any other file. */
function installation(file: string): string[] {
  const temporary = TEMPORARY.map(realOf).find((folder) => isWithin(folder, file));
  if (temporary === undefined) return [];
  const above: string[] = [];
  for (let folder = dirname(file); folder !== temporary; folder = dirname(folder)) above.push(folder);
  const packages = above.map((folder) => join(folder, "node_modules")).filter(existsSync);
  const top = above.find((folder) => MARKS.some((mark) => existsSync(join(folder, mark))));
  // A file directly in the temporary folder is shown alone.
  const own = top ?? (basename(above[0] ?? "") === "bin" ? above[1] : undefined) ?? above[0] ?? file;
  return [own, ...packages];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
