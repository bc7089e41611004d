import { execFile } from "node:child_process";
import { opendir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Most files that completion knows. */
const MOST = 20_000;

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", "target", ".venv", "__pycache__"]);

/** The files of a folder for completion: those that git knows or would add, else all below it. */
export async function workspaceFiles(cwd: string): Promise<readonly string[]> {
  return (await gitFiles(cwd)) ?? walked(cwd);
}

function gitFiles(cwd: string): Promise<readonly string[] | undefined> {
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return new Promise((resolve) => {
    execFile("git", args, { cwd, maxBuffer: 32e6, timeout: 5000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.split("\0").filter(Boolean).slice(0, MOST)),
    );
  });
}

async function walked(cwd: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [cwd];
  for (let folder = open.shift(); folder !== undefined && found.length < MOST; folder = open.shift()) {
    try {
      for await (const entry of await opendir(folder)) {
        if (SKIPPED.has(entry.name)) continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) open.push(path);
        else if (found.push(relative(cwd, path)) >= MOST) break;
      }
    } catch {
      // A folder that cannot be read has nothing to propose.
    }
  }
  return found.sort();
}
