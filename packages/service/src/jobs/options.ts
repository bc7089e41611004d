import type { JobCopy, JobRequest } from "@haft/core/tool";
import type { EnvironmentOptions, Spawn } from "@haft/host";
import type { Fenced } from "@haft/sandbox";
import type { TerminalSize } from "./terminal.ts";

/** How jobs are started and confined, and where their output is kept. */
export interface JobsOptions {
  /** Folder for output, one file for each job. Without it, only the latest output is kept, in memory. */
  readonly folder?: string;
  /** Absolute path of the shell. Default: bash, else sh. */
  readonly shell?: string;
  readonly environment?: EnvironmentOptions;
  /** The environment of jobs that only read: they run without asking and show what they find. Default: the same as for other jobs. */
  readonly readerEnvironment?: EnvironmentOptions;
  /** Puts a program into the fence of its grant; `undefined` runs it as it is. */
  readonly fence?: (command: Spawn, request: JobRequest) => Promise<Fenced | undefined>;
  /** Lets a program see a copy in the place of the workspace. Without it, jobs with a copy are refused. */
  readonly mount?: (command: Spawn, copy: JobCopy) => Promise<Spawn>;
  /** `fence` serves a job whose grant says `hold`, or refuses it. */
  readonly servesHeld?: true;
  /** The size of terminals for jobs that want one. Default 120 by 30. */
  readonly terminal?: Partial<TerminalSize>;
  /** Most bytes of a job's output in its file. Default 64 MB. */
  readonly fileBytes?: number;
  /** Most jobs that run at the same time. Default 64. */
  readonly maxRunning?: number;
  /** Called at the end of every job. */
  readonly onEnded?: (id: string) => void;
}
