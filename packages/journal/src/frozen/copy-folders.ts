import { spawn } from "node:child_process";
import { constants, cpSync, linkSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { toSystem } from "../image/raw-path.ts";
import { namesIn } from "../image/tree.ts";

/** `copy`: files of their own, which share blocks where the file system can. `link`: other names of the same files. */
export type Copying = "copy" | "link";

/**
 * Copies entries of a folder into another one, with everything that belongs to them. `paths` begin with a slash and are
 * below `from`. An entry that vanishes meanwhile or cannot be read is missing in the copy.
 */
export async function copyFolders(
  from: string,
  to: string,
  paths: readonly string[],
  { how = "copy", platform = process.platform }: { readonly how?: Copying; readonly platform?: string } = {},
): Promise<void> {
  if (paths.length === 0) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (platform !== "linux") return copyByNode(from, to, paths, how);
  const input = Buffer.concat(paths.flatMap((path) => [Buffer.from("."), Buffer.from(toSystem(path)), NUL]));
  const kind = how === "link" ? "--link" : "--reflink=auto";
  const child = spawn("xargs", ["-0", "cp", "-a", kind, "--parents", "-t", to, "--"], {
    cwd: from,
    stdio: ["pipe", "ignore", "ignore"],
  });
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve());
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

const NUL = Buffer.from("\0");

/** The same with what Node has. It does not carry over access lists and extended attributes everywhere. */
function copyByNode(from: string, to: string, paths: readonly string[], how: Copying): void {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)];
    mkdirSync(join(target, ".."), { recursive: true });
    if (how === "link") linkAll(source, target);
    else
      cpSync(source, target, {
        recursive: true,
        mode: constants.COPYFILE_FICLONE,
        preserveTimestamps: true,
        verbatimSymlinks: true,
      });
  }
}

function linkAll(source: string, target: string): void {
  const found = lstatSync(toSystem(source), { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) {
    linkSync(toSystem(source), toSystem(target));
    return;
  }
  mkdirSync(toSystem(target), { recursive: true, mode: found.mode & 0o7777 });
  for (const name of namesIn(source)) linkAll(`${source}/${name}`, `${target}/${name}`);
}
