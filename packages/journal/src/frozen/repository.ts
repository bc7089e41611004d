import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";
import { statOf } from "../image/image.ts";
import { type Compared, type Copy, isControl } from "./compare.ts";

export interface WithRepository {
  readonly compared: Compared;
  /** The branch with the agent's commits. */
  readonly branch?: string;
  /** The repository that keeps its state, because that of the copy is damaged or gone. */
  readonly damaged?: string;
}

/**
 * The files of a repository belong together, so they are taken over together or not at all. If the repository has
 * changed on both sides, the agent's commits get a branch of their own, and people merge them with git. A repository that
 * the agent has damaged or removed is not taken over.
 */
export function withRepository(copy: Copy, compared: Compared, call: JournalCall): WithRepository {
  const isOwn = (path: string): boolean => isControl(copy, path);
  if (hasHead(copy.frozen.base) && !hasHead(copy.frozen.root)) {
    const isIn = (path: string): boolean => isWithin(join(copy.root, ".git"), path);
    return { compared: without(compared, isIn), damaged: join(copy.root, ".git") };
  }
  const isTorn = compared.conflicts.some(isOwn) || compared.kept.some(isOwn);
  return isTorn ? onBranch(copy, without(compared, isOwn), call) : { compared };
}

const without = (compared: Compared, isOut: (path: string) => boolean): Compared => ({
  ...compared,
  conflicts: compared.conflicts.filter((path) => !isOut(path)),
  taken: compared.taken.filter((path) => !isOut(path)),
  removed: compared.removed.filter((path) => !isOut(path)),
  kept: compared.kept.filter((path) => !isOut(path)),
});

/** Whether git would take a folder for a repository. */
function hasHead(root: string): boolean {
  try {
    return /^(?:ref: refs\/|[0-9a-f]{40})/.test(readFileSync(join(root, ".git", "HEAD"), "utf8"));
  } catch {
    return false;
  }
}

function onBranch(copy: Copy, compared: Compared, call: JournalCall): WithRepository {
  const commit = headOf(join(copy.frozen.root, ".git"));
  if (commit === undefined || commit === headOf(join(copy.frozen.base, ".git"))) return { compared };
  const branch = `haft/${call.id.replace(/[^\w-]+/g, "-")}-${copy.frozen.id.slice(-6)}`;
  const path = join(copy.root, ".git/refs/heads", branch);
  const place = join(copy.frozen.root, ".git/refs/heads", branch);
  if (statOf(join(copy.frozen.root, ".git/refs/heads/haft"))?.isFile())
    rmSync(join(copy.frozen.root, ".git/refs/heads/haft"));
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, `${commit}\n`);
  const folders = statOf(dirname(path)) ? [] : [dirname(path)];
  return { compared: { ...compared, taken: [...compared.taken, ...folders, path] }, branch };
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
