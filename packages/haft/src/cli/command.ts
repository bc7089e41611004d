/** Runs a command with the words that follow its name, and resolves with the exit code. */
export type Command = (args: readonly string[]) => Promise<number>;
