import type { Asker } from "haft";

/** The task of every example in this folder: work in `cwd`, ask before changes, and undo them unless they are to stay. */
export interface Task {
  readonly cwd: string;
  readonly prompt: string;
  /** Answers the approvals. */
  readonly ask: Asker;
  /** Reads the agent's answer and looks at the files. `false` undoes the change. */
  readonly keep: (answer: string | undefined) => boolean | Promise<boolean>;
}
