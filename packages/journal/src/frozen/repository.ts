import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import { statOf } from "../image/image.ts";
import { type Compared, type Copy, isControl } from "./compare.ts";

/**
 * The files of a repository belong together, so they are taken over together or not at all. If the repository has
 * changed on both sides, the agent's commits get a branch of their own, and people merge them with git.
 */
export function withRepository(
  copy: Copy,
  compared: Compared,
  call: JournalCall,
): { readonly compared: Compared; readonly branch?: string } {
  const isOwn = (path: string): boolean => isControl(copy, path);
  const conflicts = compared.conflicts.filter((path) => !isOwn(path));
  if (conflicts.length === compared.conflicts.length && !compared.kept.some(isOwn)) return { compared };
  const without: Compared = {
    ...compared,
    conflicts,
    taken: compared.taken.filter((path) => !isOwn(path)),
    removed: compared.removed.filter((path) => !isOwn(path)),
    kept: compared.kept.filter((path) => !isOwn(path)),
  };
  const commit = headOf(join(copy.frozen.root, ".git"));
  if (commit === undefined || commit === headOf(join(copy.frozen.base, ".git"))) return { compared: without };
  const branch = `haft/${call.id.replace(/[^\w-]+/g, "-")}-${copy.frozen.id.slice(-6)}`;
  const path = join(copy.root, ".git/refs/heads", branch);
  const place = join(copy.frozen.root, ".git/refs/heads", branch);
  if (statOf(join(copy.frozen.root, ".git/refs/heads/haft"))?.isFile())
    rmSync(join(copy.frozen.root, ".git/refs/heads/haft"));
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, `${commit}\n`);
  const folders = statOf(dirname(path)) ? [] : [dirname(path)];
  return { compared: { ...without, taken: [...without.taken, ...folders, path] }, branch };
}

/** The commit that is checked out in a repository. */
function headOf(git: string): string | undefined {
  try {
    const head = readFileSync(join(git, "HEAD"), "utf8").trim();
    if (!head.startsWith("ref: ")) return head;
    const ref = head.slice(5);
    if (existsSync(join(git, ref))) return readFileSync(join(git, ref), "utf8").trim();
    const packed = readFileSync(join(git, "packed-refs"), "utf8");
    return packed
      .split("\n")
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(" ")[0];
  } catch {
    return undefined;
  }
}
