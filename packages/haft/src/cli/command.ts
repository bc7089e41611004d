/** Runs a command with the arguments after its name, and resolves with the exit code. */
export type Command = (args: readonly string[]) => Promise<number>;
