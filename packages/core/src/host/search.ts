import {
  type FileEntry,
  type FindQuery,
  type FindResult,
  fail,
  isWithin,
  type SearchQuery,
  type SearchResult,
} from "../tool/index.ts";
import { globMatcher } from "./glob.ts";
import type { FileBasics } from "./host-ports.ts";
import { decode } from "./text.ts";

/** Folders that no search looks into, unless the query says `ignore: false`. Ignore files are not read. */
const IGNORED = new Set([".git", "node_modules"]);

/** Files by name, the newest first. */
export async function find(basics: FileBasics, query: FindQuery): Promise<FindResult> {
  const fits = globMatcher(query.pattern);
  const found: { readonly path: string; readonly modifiedMs: number }[] = [];
  let count = 0;
  for await (const path of walk(basics, query.root, query)) {
    query.onCount?.(++count);
    if (fits(path.slice(query.root.length + 1)))
      found.push({ path, modifiedMs: (await basics.stat(path))?.modifiedMs ?? 0 });
  }
  const paths = found.sort((a, b) => b.modifiedMs - a.modifiedMs).map(({ path }) => path);
  return { paths: paths.slice(0, query.limit), total: paths.length };
}

/** Texts in files, by a regular expression of JavaScript. Files that are not text are left out. */
export async function search(basics: FileBasics, query: SearchQuery): Promise<SearchResult> {
  const { want, limit, offset = 0 } = query;
  const expression = expressionOf(query);
  const matches: Hit[] = [];
  const contexts = new Map<string, readonly string[]>();
  const files: { path: string; count: number }[] = [];
  const globs = (query.glob ?? []).map((glob) => ({
    not: glob.startsWith("!"),
    fits: globMatcher(glob.replace(/^!/, "")),
  }));
  for await (const path of walk(basics, query.root, query)) {
    const name = path.slice(query.root.length + 1);
    if (name !== "" && !globs.every(({ not, fits }) => fits(name) !== not)) continue;
    if (query.type !== undefined && !path.endsWith(`.${query.type}`)) continue;
    const lines = await linesOf(basics, path);
    const hits = lines.flatMap((text, at) => (expression.test(text) ? [at] : []));
    if (hits.length > 0) files.push({ path, count: hits.length });
    matches.push(...hits.map((at) => ({ path, line: at + 1, text: lines[at]! })));
    contexts.set(path, lines);
  }
  const isHit = new Set(matches.map(({ path, line }) => `${path}:${line}`));
  const around = (hit: Hit): readonly Hit[] => {
    const lines = contexts.get(hit.path) ?? [];
    const first = Math.max(1, hit.line - (query.before ?? 0));
    const last = Math.min(lines.length, hit.line + (query.after ?? 0));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
      .map((line) => ({ path: hit.path, line, text: lines[line - 1]! }))
      .map((one) => (isHit.has(`${one.path}:${one.line}`) ? one : { ...one, context: true }));
  };
  const page = <T>(all: readonly T[]): readonly T[] => all.slice(offset, offset + limit);
  return want === "lines"
    ? { engine: "builtin", matches: once(page(matches).flatMap(around)), files: [], total: matches.length }
    : { engine: "builtin", matches: [], files: page(files), total: files.length };
}

type Hit = SearchResult["matches"][number];

/** Each line once, although the contexts of two hits may overlap. */
const once = (hits: readonly Hit[]): readonly Hit[] => [
  ...new Map(hits.map((hit) => [`${hit.path}:${hit.line}`, hit])).values(),
];

function expressionOf({ pattern, ignoreCase }: SearchQuery): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? "iu" : "u");
  } catch (thrown) {
    return fail("invalid_input", `"${pattern}" is not a regular expression: ${(thrown as Error).message}.`);
  }
}

async function linesOf(basics: FileBasics, path: string): Promise<readonly string[]> {
  try {
    return decode(path, await basics.read(path)).text.split(/\r\n|\n/);
  } catch {
    return [];
  }
}

async function* walk(
  basics: FileBasics,
  root: string,
  { ignore = true, isVisible = () => true, signal }: Pick<FindQuery, "ignore" | "isVisible" | "signal">,
): AsyncGenerator<string> {
  const { kind } = await basics.locate(root);
  if (kind === "missing") fail("file_not_found", `${root} does not exist.`);
  if (kind === "file") {
    if (isVisible(root)) yield root;
    return;
  }
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    const below: FileEntry[] = [...(await basics.list(folder))].filter(({ path }) => !ignore || !IGNORED.has(path));
    const at = (entry: FileEntry): string => `${folder === "/" ? "" : folder}/${entry.path}`;
    // Links are not followed: they could lead out of the folder, or round in a circle.
    for (const entry of below)
      if (entry.kind === "file" && isWithin(root, at(entry)) && isVisible(at(entry))) yield at(entry);
    folders.push(...below.filter(({ kind }) => kind === "directory").map(at));
  }
}
