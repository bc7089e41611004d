import { statSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { type FindQuery, type FindResult, fail } from "@haft/core/tool";
import { locate } from "../files/locate.ts";
import { globMatcher } from "./glob.ts";
import type { Ripgrep } from "./ripgrep.ts";
import { spawnRipgrep } from "./spawn-ripgrep.ts";
import { VERSION_CONTROL, walk } from "./walk.ts";

/** How many modification times are read before others may run. */
const STAT_BURST = 500;

/** All files whose path fits a glob: counted, sorted newest first, and only then cut at the limit. */
export async function findFiles(query: FindQuery, ripgrep?: Ripgrep): Promise<FindResult> {
  query.signal?.throwIfAborted();
  const root = await folderOf(query.root);
  const matches = globMatcher(query.pattern);
  const { isVisible } = query;
  const fits = isVisible ? (path: string) => matches(path) && isVisible(absolute(root, path)) : matches;
  const program = await ripgrep?.();
  const collector = new Collector(fits, query.onCount);
  if (program) await listWithRipgrep(program, root, query, collector);
  else for await (const path of walk(root, query)) collector.add(path);
  query.onCount?.(collector.found.length);
  const newest = await newestFirst(root, collector.found, query.signal);
  return { paths: newest.slice(0, query.limit).map((path) => absolute(root, path)), total: newest.length };
}

async function folderOf(path: string): Promise<string> {
  const { path: root, kind } = await locate(path);
  if (kind === "missing") fail("file_not_found", `${path} does not exist.`, "List its parent with Ls.", { path });
  if (kind !== "directory") fail("not_directory", `${path} is not a folder.`, "Name the folder to look in.", { path });
  return root;
}

/** The options by which ripgrep leaves out the same files as the builtin walker. */
export function ignoreOptions(ignore: boolean | undefined): string[] {
  const kept = ignore === false ? ["--no-ignore"] : ["--no-require-git", "--no-ignore-global"];
  return ["--hidden", ...kept, ...VERSION_CONTROL.map((name) => `--glob=!${name}`)];
}

async function listWithRipgrep(program: string, root: string, query: FindQuery, collector: Collector): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): boolean => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(0);
    if (end >= 0) for (const path of bytes.toString("utf8", 0, end).split("\0")) collector.add(path.slice(2));
    rest = bytes.subarray(end + 1);
    return true;
  };
  const args = ["--files", "--null", "--no-messages", ...ignoreOptions(query.ignore), "--", "./"];
  await spawnRipgrep(program, args, root, onData, query.signal);
}

class Collector {
  readonly found: string[] = [];
  private seen = 0;
  private readonly fits: (path: string) => boolean;
  private readonly onCount: FindQuery["onCount"];

  constructor(fits: (path: string) => boolean, onCount: FindQuery["onCount"]) {
    this.fits = fits;
    this.onCount = onCount;
  }

  add(path: string): void {
    if (this.fits(path)) this.found.push(path);
    this.seen += 1;
    if (this.seen % 1000 === 0) this.onCount?.(this.found.length);
  }
}

/**
 * Sorts by modification time, ties by path. The times are read synchronously in short bursts: one asynchronous request
 * a file costs several times more, and a large tree has tens of thousands.
 */
async function newestFirst(root: string, paths: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const dated: { path: string; time: number }[] = [];
  for (const [index, path] of paths.entries()) {
    if (index % STAT_BURST === STAT_BURST - 1) await breathe();
    signal?.throwIfAborted();
    dated.push({ path, time: modified(absolute(root, path)) });
  }
  dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return dated.map(({ path }) => path);
}

function modified(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

const absolute = (root: string, path: string): string => `${root === "/" ? "" : root}/${path}`;
