import { defineTool, run, state, text, type Worktree } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    name: {
      type: "string",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
      description: "A name for folder and branch, such as the issue. Default: a free name.",
    },
  },
  additionalProperties: false,
} as const;

/** EnterWorktree: moves the session to a copy of the repository with its own branch. */
export const enterWorktree = defineTool({
  name: "EnterWorktree",
  title: "Enter a worktree",
  searchHint: "git worktree branch isolate copy checkout separate",
  description:
    "Makes a git worktree with a new branch and moves the session there: the main checkout can then be read, not changed. Only when the user asks for a worktree. It begins at the last commit.",
  input,
  offer: "deferred",
  can: ["run", "state"],
  when: needs("worktrees", "the session is not in a git repository whose worktrees it may use"),
  effects: ({ name = "" }, { cwd }) => [
    run({ argv: ["git", "worktree", "add", name], text: `git worktree add ${name}`.trim(), cwd }),
    state("worktree"),
  ],
  describe: ({ name }) => ({
    title: name ? `Enter worktree ${name}` : "Enter a worktree",
    activity: "Making a worktree",
  }),
  async run({ name = "" }, { ports }): Promise<Worktree> {
    return portOf(ports, "worktrees").enter(name);
  },
  toModel: ({ path, branch }) => [
    text(
      `The session works in ${path} now, on the branch ${branch}. The main checkout can be read, not changed. ExitWorktree goes back.`,
    ),
  ],
});
