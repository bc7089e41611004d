/** The task of every example in this folder: work in `cwd`, with approvals that the framework itself asks for. */
export interface ApprovedTask {
  readonly cwd: string;
  readonly prompt: string;
  /** Asks a person about one call. */
  readonly approve: (tool: string, input: unknown) => Promise<boolean>;
}
