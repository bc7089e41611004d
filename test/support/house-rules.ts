import { builtinModules } from "node:module";
import { dirname } from "node:path";
import { dependencyGraph, importsOf, resolveImport, type Sources } from "./sources.ts";

/** Packages from the lowest to the highest, each with its folders from the lowest to the highest. */
export type House = Record<string, readonly string[]>;

/** Every circle of imports, written as `a → b → a`. A file that takes part in several is reported once or more. */
export function findCycles(sources: Sources): string[] {
  const graph = dependencyGraph(sources);
  const done = new Set<string>();
  const trail: string[] = [];
  const cycles: string[] = [];
  const visit = (file: string): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    trail.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    trail.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}

/** Imports that go up, and folders that stand on no floor. */
export function findClimbs(sources: Sources, house: House): string[] {
  const place = (path: string) => {
    const [, pkg = "", folder] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
    const inRoot = folder === undefined;
    const floors = house[pkg] ?? [];
    // A root file is the package's front door: it may use every folder, and no folder may use it.
    const floor = floors.length === 0 ? 0 : inRoot ? floors.length : floors.indexOf(folder);
    return { pkg, storey: Object.keys(house).indexOf(pkg), floor };
  };
  const found: string[] = [];
  for (const [file, text] of sources) {
    const here = place(file);
    if (here.storey < 0 || here.floor < 0) found.push(`${file} stands on no floor`);
    for (const name of importsOf(text)) {
      const target = resolveImport(file, name);
      if (target === undefined) continue;
      const there = place(target);
      const climbs = there.storey > here.storey || (there.storey === here.storey && there.floor > here.floor);
      const isBesideDoor = target.startsWith("no door") || (there.pkg !== here.pkg && name.startsWith("."));
      if (isBesideDoor) found.push(`${file} imports ${name}, which is no door of its package`);
      else if (climbs) found.push(`${file} imports upward from ${target}`);
    }
  }
  return found;
}

/** Folders beside each other that import each other. A folder and a folder in it are one room. */
export function findMutual(sources: Sources): string[] {
  const pairs = new Set<string>();
  for (const [file, targets] of dependencyGraph(sources))
    for (const target of targets) {
      const [from, to] = [dirname(file), dirname(target)];
      if (!`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`)) pairs.add(`${from} ⇄ ${to}`);
    }
  const back = (pair: string) => pair.split(" ⇄ ").toReversed().join(" ⇄ ");
  return [...pairs].filter((pair) => pair < back(pair) && pairs.has(back(pair))).sort();
}

/** Files with more lines than allowed. */
export function findLong(sources: Sources, limit: number): string[] {
  const lines = (text: string) => text.replace(/\n$/, "").split("\n").length;
  return [...sources].filter(([, text]) => lines(text) > limit).map(([path, text]) => `${path}: ${lines(text)} lines`);
}

/** Folders that hold more files, not counting their subfolders, than allowed. */
export function findCrowded(sources: Sources, limit: number): string[] {
  const folders = Object.entries(Object.groupBy(sources.keys(), (path) => dirname(path)));
  return folders.filter(([, files]) => files!.length > limit).map(([name, files]) => `${name}: ${files!.length} files`);
}

/** Imports of Node's own modules, with or without the `node:` prefix. */
export function findNodeImports(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    importsOf(text)
      .filter(isNode)
      .map((name) => `${path} imports ${name}`),
  );
}

/** The packages that the manifests declare which count for a file. */
export type Declared = (file: string) => ReadonlySet<string>;

/** Imports of packages that no manifest declares: their version is whatever another package happens to bring. */
export function findUndeclared(sources: Sources, declared: Declared): string[] {
  const isPackage = (name: string) => /^(?:@[a-z0-9-]+\/)?[a-z][\w.-]*(?:\/|$)/.test(name) && !isNode(name);
  return [...sources].flatMap(([path, text]) =>
    importsOf(text)
      .filter(isPackage)
      .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"))
      .filter((name) => !declared(path).has(name))
      .map((name) => `${path} imports ${name}`),
  );
}

const isNode = (name: string): boolean => name.startsWith("node:") || builtinModules.includes(name);

/** Lines of code, comments aside, that quote one of the names. */
export function findQuoted(sources: Sources, names: readonly string[]): string[] {
  const quoted = new RegExp(`(["'\`])(${names.join("|")})\\1`);
  return [...sources].flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => {
      const name = /^\s*(?:\/\/|\/?\*)/.test(line) ? undefined : quoted.exec(line)?.[2];
      return name === undefined ? [] : [`${path}:${index + 1} names "${name}"`];
    }),
  );
}

/** Files with a default export, in either spelling. */
export function findDefaultExports(sources: Sources): string[] {
  const spelling = /^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m;
  return [...sources].filter(([, text]) => spelling.test(text)).map(([path]) => path);
}
