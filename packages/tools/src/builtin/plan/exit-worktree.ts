import { defineTool, run, state, text, type Worktree } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["keep", "remove"],
      description: "keep leaves folder and branch as they are; remove deletes the folder.",
    },
    discard_changes: {
      type: "boolean",
      description:
        "With remove: delete it even with uncommitted changes. Only if the user wants that. Commits stay on their branch.",
    },
  },
  required: ["action"],
  additionalProperties: false,
} as const;

/** The result of leaving a worktree. */
interface ExitWorktreeOutput extends Worktree {
  readonly action: "keep" | "remove";
}

/** ExitWorktree: returns the session to its previous folder. */
export const exitWorktree = defineTool({
  name: "ExitWorktree",
  title: "Leave the worktree",
  searchHint: "git worktree leave exit remove keep back",
  description:
    "Moves the session back to the folder from which EnterWorktree took it, and keeps or removes the worktree.",
  input,
  offer: "deferred",
  can: ["run", "state"],
  when: needs("worktrees", "the session is not in a git repository whose worktrees it may use"),
  effects: ({ action }, { cwd }) => [
    ...(action === "remove" ? [run({ argv: ["git", "worktree", "remove"], text: "git worktree remove", cwd })] : []),
    state("worktree"),
  ],
  describe: ({ action }) => ({
    title: action === "remove" ? "Remove the worktree" : "Leave the worktree",
    activity: "Leaving the worktree",
  }),
  async run({ action, discard_changes: discard = false }, { ports }): Promise<ExitWorktreeOutput> {
    return { ...(await portOf(ports, "worktrees").leave({ remove: action === "remove", discard })), action };
  },
  toModel: ({ action, path, branch }) => [
    text(
      action === "remove"
        ? `Removed the worktree ${path}; the session is back in its folder.`
        : `The session is back in its folder. The worktree remains at ${path}, on the branch ${branch}.`,
    ),
  ],
});
