import { lstatSync } from "node:fs";
import { type FindQuery, type FindResult, fail } from "@haft/core/tool";
import { type Locate, locate } from "../files/locate.ts";
import { openFolder } from "../files/open.ts";
import { globMatcher } from "./glob.ts";
import { checkReadable, partly } from "./readable.ts";
import { replacedSince, stillThere } from "./recheck-links.ts";
import type { Ripgrep } from "./ripgrep.ts";
import { type Ending, spawnRipgrep } from "./spawn-ripgrep.ts";
import { VERSION_CONTROL, walk } from "./walk.ts";

/**
 * The newest files whose path matches a glob, and the number of matches. Considers all files. Reads times while ripgrep
 * still lists, and keeps only candidates for the newest, so memory does not grow with the tree.
 */
export async function findFiles(query: FindQuery, ripgrep?: Ripgrep, place: Locate = locate): Promise<FindResult> {
  query.signal?.throwIfAborted();
  const root = await folderOf(query.root, place);
  using folder = openFolder(root, query.root);
  const isReplaced = replacedSince(root);
  const matches = globMatcher(query.pattern);
  const { isVisible, onCount } = query;
  const fits = isVisible ? (path: string) => matches(path) && isVisible(absolute(root, path)) : matches;
  let newest = newestOf(query.limit);
  let seen = 0;
  const take = (path: string): void => {
    if (fits(path)) newest.add(path, modified(absolute(root, path)));
    seen += 1;
    if (seen % 1000 === 0) onCount?.(newest.total());
  };
  const program = await ripgrep?.();
  const ending = program ? await listWithRipgrep(program, folder.inside, query, take) : "stuck";
  let isWhole = ending !== "partly";
  if (ending === "stuck") {
    newest = newestOf(query.limit);
    for await (const path of walk(root, { ...query, onUnread: () => (isWhole = false) })) take(path);
  }
  onCount?.(newest.total());
  const paths = newest.paths().map((path) => absolute(root, path));
  return stillThere({ paths, total: newest.total(), ...partly(isWhole) }, isReplaced);
}

async function folderOf(path: string, place: Locate): Promise<string> {
  const { path: root, kind } = await place(path);
  if (kind === "missing") fail("file_not_found", `${path} does not exist.`, "List its parent with Ls.", { path });
  if (kind !== "directory") fail("not_directory", `${path} is not a folder.`, "Name the folder to look in.", { path });
  await checkReadable(root, kind);
  return root;
}

/** The options that make ripgrep ignore the same files as the builtin walker. */
export function ignoreOptions(ignore: boolean | undefined): string[] {
  const kept = ignore === false ? ["--no-ignore"] : ["--no-require-git", "--no-ignore-global"];
  return ["--hidden", ...kept, ...VERSION_CONTROL.map((name) => `--glob=!${name}`)];
}

async function listWithRipgrep(
  program: string,
  cwd: string,
  query: FindQuery,
  take: (path: string) => void,
): Promise<Ending> {
  let rest: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): boolean => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(0);
    if (end >= 0) for (const path of bytes.toString("utf8", 0, end).split("\0")) take(path.slice(2));
    rest = bytes.subarray(end + 1);
    return true;
  };
  const args = ["--files", "--null", "--no-messages", ...ignoreOptions(query.ignore), "--", "./"];
  return spawnRipgrep(program, args, { cwd }, onData, query.signal);
}

interface Dated {
  readonly path: string;
  readonly time: number;
}

/** Keeps the newest of any number of files: by modification time, ties by path. */
function newestOf(limit: number) {
  let kept: Dated[] = [];
  let total = 0;
  /** Files that sort after this one are never among the newest. */
  let last: Dated | undefined;
  const trim = (): void => {
    kept.sort(newestFirst);
    kept = kept.slice(0, limit);
    last = kept.length < limit ? undefined : kept.at(-1);
  };
  return {
    add(path: string, time: number): void {
      total += 1;
      const file = { path, time };
      if (last && newestFirst(file, last) > 0) return;
      kept.push(file);
      if (kept.length >= limit * 2 + SLACK) trim();
    },
    paths(): string[] {
      trim();
      return kept.map(({ path }) => path);
    },
    total: () => total,
  };
}

/** Extra files to hold before dropping the oldest. */
const SLACK = 1000;

const newestFirst = (a: Dated, b: Dated): number => b.time - a.time || (a.path < b.path ? -1 : 1);

/**
 * Reads synchronously: an asynchronous request for each file costs many times more, and a large tree has tens of thousands.
 * Files arrive in pieces, between which other work can run.
 */
function modified(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

const absolute = (root: string, path: string): string => `${root === "/" ? "" : root}/${path}`;
