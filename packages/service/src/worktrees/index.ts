/** @module Git worktrees in which a session may work. */
export { openWorktrees, type WorktreesOptions } from "./worktrees.ts";
