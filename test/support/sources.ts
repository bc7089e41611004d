import { existsSync, globSync, readFileSync } from "node:fs";
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

/** The source file a module name stands for, or undefined for a package from outside. */
export function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(from), name);
  const sibling = /^(?:@haft\/(core|tools)|(haft))(?:\/(.+))?$/.exec(name);
  if (!sibling) return undefined;
  const source = `packages/${sibling[1] ?? sibling[2]}/src`;
  if (sibling[3] === undefined) return `${source}/index.ts`;
  const file = `${source}/${sibling[3]}.ts`;
  return existsSync(file) ? file : `${source}/${sibling[3]}/index.ts`;
}

/** File → the source files it depends on. */
export function dependencyGraph(sources: Sources): Map<string, string[]> {
  const targets = (path: string, text: string) =>
    importsOf(text)
      .map((name) => resolveImport(path, name))
      .filter((target) => target !== undefined);
  return new Map([...sources].map(([path, text]) => [path, targets(path, text)]));
}
