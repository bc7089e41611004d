import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fail, type Worktree, type Worktrees } from "@haft/core/tool";

/** Timeout in milliseconds for one git command. */
const GIT_MS = 120_000;

/** Ignored folders that programs can fill again. Other ignored files may be somebody's only copy. */
const REBUILDABLE = /^!! (?:.*\/)?(?:node_modules|dist|build|coverage|target|__pycache__|\.venv|\.next|\.turbo)\/\n/gm;

export interface WorktreesOptions {
  /** The main checkout, absolute and real. */
  readonly root: string;
  /** Moves the session to a worktree, or back. */
  move(to: Worktree | undefined): void;
}

/** Worktrees of one repository, below `.haft/worktrees`, which git ignores. */
export function openWorktrees({ root, move }: WorktreesOptions): Worktrees {
  const folder = join(root, ".haft", "worktrees");
  let current: Worktree | undefined;

  function free(): string {
    for (let count = 1; ; count++) if (!existsSync(join(folder, `work-${count}`))) return `work-${count}`;
  }

  return {
    current: () => current,
    async enter(wanted) {
      if (current)
        fail(
          "conflict",
          `The session is in the worktree ${current.name} already.`,
          "Leave it with ExitWorktree first.",
        );
      const name = wanted || free();
      const path = join(folder, name);
      const branch = `haft/${name}`;
      if (existsSync(path)) fail("file_exists", `There is a worktree ${path} already.`, "Choose another name.");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, ".gitignore"), "*\n");
      await git(root, "worktree", "add", "--quiet", "-b", branch, path);
      current = { name, path, branch };
      move(current);
      return current;
    },
    async leave({ remove, discard }) {
      const left = current ?? fail("conflict", "The session is not in a worktree.", "There is no worktree to leave.");
      if (remove) await removed(root, left, discard);
      current = undefined;
      move(undefined);
      return left;
    },
  };
}

/** Removes a worktree, and its branch if that holds no commit of its own. */
async function removed(root: string, { path, branch }: Worktree, discard: boolean): Promise<void> {
  if (!existsSync(path)) return void (await git(root, "worktree", "prune"));
  // Without its own link to the repository, git would speak of the checkout around it.
  if (!existsSync(join(path, ".git")) || (await git(path, "rev-parse", "--show-toplevel")).trim() !== path)
    fail("conflict", "The worktree is damaged: git does not know it any more.", "Check what is left in it.");
  const status = await git(path, "status", "--porcelain", "--untracked-files=all", "--ignored");
  const changed = status.replaceAll(REBUILDABLE, "").trim();
  if (changed !== "" && !discard)
    fail(
      "conflict",
      `The worktree holds changes that are not committed:\n${changed.split("\n").slice(0, 20).join("\n")}`,
      "Commit them, keep the worktree, or set discard_changes if the user wants them deleted.",
    );
  const lost = Number(await git(path, "rev-list", "--count", "HEAD", "--not", "--branches", "--tags", "--remotes"));
  if (lost > 0 && !discard)
    fail(
      "conflict",
      `The worktree has ${lost} commits that are not on any branch.`,
      "Create a branch for them, or keep the worktree.",
    );
  const others = ["--not", `--exclude=${branch}`, "--branches", "--tags", "--remotes"];
  const own = Number(await git(path, "rev-list", "--count", "HEAD", ...others));
  await git(root, "worktree", "remove", "--force", path);
  if (own === 0) await git(root, "branch", "--quiet", "-D", branch);
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  // Nobody has allowed the programs that the repository configures.
  const command = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
  try {
    return (await promisify(execFile)("git", command, { cwd, env, timeout: GIT_MS, maxBuffer: 1 << 26 })).stdout;
  } catch (thrown) {
    const { stderr = "", message } = thrown as Error & { stderr?: string };
    return fail(
      "command_failed",
      `git ${args[0]} ${args[1] ?? ""} failed: ${stderr.trim() || message}`,
      "Look at the repository, or ask the user.",
    );
  }
}
