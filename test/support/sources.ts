import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** Path from the repository root → text. Small enough to be written by hand where a rule is tried on a sample. */
export type Sources = ReadonlyMap<string, string>;

export const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** Reads every TypeScript file below the given folders, relative to the root the tests run in. */
export function readSources(...folders: string[]): Sources {
  const paths = folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`))
    .map((path) => path.replaceAll("\\", "/"));
  const wanted = paths.filter((path) => !path.includes("/node_modules/")).sort();
  return new Map(wanted.map((path) => [path, readFileSync(path, "utf8")]));
}

/** The module names a file imports or re-exports from, types and lazy imports included. */
export function importsOf(text: string): string[] {
  // Only comments that begin a line: further right, "/*" is as likely to be part of a glob in a string.
  const code = text.replace(/^\s*(?:\/\/.*$|\/\*[\s\S]*?\*\/)/gm, "");
  const statement = /^\s*(?:import|export)\b(?:[^;"'`]*?\bfrom)?\s*["']([^"']+)["']/gm;
  const call = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
  return [...code.matchAll(statement), ...code.matchAll(call)].map((match) => match[1]!);
}

/** The packages that are written in TypeScript for Node. The web console has a compiler of its own. */
export const packageFolders: readonly string[] = readdirSync("packages").filter(
  (name) => name !== "web" && existsSync(`packages/${name}/package.json`),
);

/** Import specifier → file, by the manifests of our packages. */
const doors: ReadonlyMap<string, string> = new Map(packageFolders.flatMap(doorsOf));

/** The doors of a package: what one writes in an import, and the file behind it. */
export function doorsOf(folder: string): [entry: string, file: string][] {
  return exportsOf(folder).flatMap(({ entry, conditions }) => expand(folder, entry, conditions["haft-source"]));
}

/** The doors that users of a published package have. The others open under the condition `haft-source` only. */
export const publishedDoorsOf = (folder: string): [entry: string, file: string][] =>
  exportsOf(folder).flatMap(({ entry, conditions }) =>
    conditions.default === undefined ? [] : expand(folder, entry, conditions["haft-source"]),
  );

function exportsOf(folder: string) {
  const { name, exports } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
  return Object.entries<Record<string, string>>(exports).map(([key, conditions]) => ({
    entry: `${name}${key.slice(1)}`,
    conditions,
  }));
}

/** Files that are not modules have no names. `*` stands for each folder with such a file. */
function expand(folder: string, entry: string, target: string | undefined): [entry: string, file: string][] {
  if (target === undefined) return [];
  const file = posix.join(`packages/${folder}`, target);
  if (!entry.endsWith("/*")) return [[entry, file]];
  const [before = "", after = ""] = file.split("*");
  return globSync(file).map((path) => {
    const found = path.replaceAll("\\", "/");
    return [`${entry.slice(0, -1)}${found.slice(before.length, -after.length)}`, found];
  });
}

/** The source file a module name stands for, or undefined for a package from outside. */
export function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(from), name);
  return doors.get(name) ?? (/^(?:haft|@haft\/[^/]+)(?:\/|$)/.test(name) ? `no door: ${name}` : undefined);
}

/** File → the source files it depends on. */
export function dependencyGraph(sources: Sources): Map<string, string[]> {
  const targets = (path: string, text: string) =>
    importsOf(text)
      .map((name) => resolveImport(path, name))
      .filter((target) => target !== undefined);
  return new Map([...sources].map(([path, text]) => [path, targets(path, text)]));
}
