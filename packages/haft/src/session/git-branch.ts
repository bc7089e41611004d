import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The branch of a folder, or the start of its commit; `undefined` outside of a repository. */
export function gitBranch(cwd: string): string | undefined {
  try {
    const head = readFileSync(join(gitFolder(cwd), "HEAD"), "utf8").trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
  } catch {
    return undefined;
  }
}

function gitFolder(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".git");
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return path;
    // A worktree names its folder in a file.
    if (found) return resolve(folder, /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? "");
    if (folder === dirname(folder)) throw new Error("no repository");
  }
}
