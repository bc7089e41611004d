import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { isWithin, parent } from "@haft/core/tool";
import type { Ignore } from "ignore";
import { openFolder } from "../files/open.ts";
import { rulesIn } from "./rule-files.ts";

/** Folders of version control systems, always skipped. */
export const VERSION_CONTROL = [".git", ".hg", ".svn", ".jj"] as const;

/** Rules of one folder, which apply to everything below it. */
interface Rules {
  readonly folder: string;
  readonly own: Ignore;
}

/** Options for walking a tree. */
interface WalkOptions {
  /** Leave out ignored files. Default true. */
  readonly ignore?: boolean;
  readonly signal?: AbortSignal;
  /** Called if a folder cannot be read. */
  readonly onUnread?: () => void;
}

/**
 * All regular files below a folder that no ignore file names, as paths relative to it. Symbolic links are not
 * followed. The stand-in for `rg --files`; deeper folders win over the ones above, as in git.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<string> {
  const above = options.ignore === false ? [] : await rulesAbove(root);
  // A named folder is wanted, even if a rule above ignores it.
  const rules = isIgnored(`${root}/`, above) ? [] : above;
  for await (const path of below(root, rules, options)) yield path.slice(root === "/" ? 1 : root.length + 1);
}

async function* below(folder: string, above: readonly Rules[], options: WalkOptions): AsyncGenerator<string> {
  options.signal?.throwIfAborted();
  const entries = await entriesOf(folder).catch(() => {
    options.onUnread?.();
    return [];
  });
  const rules = options.ignore === false ? [] : [...above, ...(await rulesOf(folder))];
  for (const entry of entries) {
    const path = `${folder === "/" ? "" : folder}/${entry.name}`;
    if (VERSION_CONTROL.some((name) => name === entry.name)) continue;
    if (entry.isDirectory() && !isIgnored(`${path}/`, rules)) yield* below(path, rules, options);
    if (entry.isFile() && !isIgnored(path, rules)) yield path;
  }
}

/** Entries of a folder. Fails if a link has replaced it meanwhile. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  using open = openFolder(folder);
  return await readdir(open.inside, { withFileTypes: true });
}

/** The nearest folder with a rule for the path decides. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { folder, own } of rules.toReversed()) {
    if (!isWithin(folder, path) || path === `${folder}/`) continue;
    const verdict = own.test(path.slice(folder === "/" ? 1 : folder.length + 1));
    if (verdict.ignored || verdict.unignored) return verdict.ignored;
  }
  return false;
}

/** Rules of the folders above, up to the repository's folder. */
async function rulesAbove(root: string): Promise<Rules[]> {
  const rules: Rules[] = [];
  let folder = root;
  while (folder !== "/" && !(await holdsRepository(folder))) {
    folder = parent(folder);
    rules.unshift(...(await rulesOf(folder)));
  }
  return rules;
}

const holdsRepository = async (folder: string): Promise<boolean> =>
  (await stat(`${folder}/.git`).catch(() => undefined)) !== undefined;

async function rulesOf(folder: string): Promise<Rules[]> {
  const text = await rulesIn(folder);
  if (text === "") return [];
  const { default: ignore } = await import("ignore");
  // git and ripgrep are case-sensitive here; the package is not by default.
  return [{ folder, own: ignore({ ignorecase: false }).add(text) }];
}
